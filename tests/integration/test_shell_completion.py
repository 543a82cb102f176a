"""Completion in the shells themselves: commands, options, states and the ids of runs, which have colons in them."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from shells import Terminal
from typer.testing import CliRunner

from bot.adapters.store import SqlRuns, connect, migrate
from bot.cli import app
from bot.cli.completion import SCRIPTS, Shell
from bot.jobs import FixIssue, job_id
from bot.settings import Settings
from bot.wiring import database_url

RUN = CliRunner()
STUB = r"""#!/bin/sh
# answers as regreen does: a line for each word that begins so
begun=${_TYPER_COMPLETE_ARGS##* }
for word in acme/app:issue-1:d1 acme/app:issue-22:d2; do
    case $word in "$begun"*) printf '%s\t%s\n' "$word" 'open $(touch hacked)';; esac
done
"""


def issue(number: int, delivery_id: str) -> FixIssue:
    return FixIssue(delivery_id, 7, "acme/app", "main", number, "t", "b", "ines")


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    url = database_url(Settings(data_dir=tmp_path / "data"))
    migrate(url)
    runs = SqlRuns(connect(url))
    jobs = [issue(1, "d-1"), issue(22, "d-2"), issue(3, "d;$(touch hacked)")]
    return [runs.started(job_id(job), job) for job in jobs]


def asked(line: str) -> list[str]:
    environ = {"_REGREEN_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = RUN.invoke(app, [], prog_name="regreen", env=environ | {"_TYPER_COMPLETE_ARGS": line})
    assert done.stderr == ""
    return [text.partition("\t")[0] for text in done.stdout.splitlines() if text]


def test_the_ids_of_runs_are_offered_but_for_what_a_shell_would_have_to_quote(stored: list[str]) -> None:
    assert set(asked("regreen show acme/app:")) == set(stored[:2])
    assert asked("regreen logs --follow acme/app:issue-22") == [stored[1]]
    assert asked("regreen cancel nobody") == []


@pytest.mark.usefixtures("stored")
def test_commands_options_states_and_repositories_are_offered() -> None:
    assert {"runs", "show", "logs", "retry", "fix"} <= set(asked("regreen "))
    assert asked("regreen deliveries sh") == ["show"]
    assert asked("regreen logs --fol") == ["--follow"]
    assert asked("regreen runs --state un") == ["unsolved"]
    assert asked("regreen runs --repository ac") == ["acme/app"]
    assert asked("regreen completion z") == ["zsh"]


def test_without_a_database_nothing_is_offered_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("REGREEN_PORT", "seventy")
    assert asked("regreen show acme") == []
    assert not (tmp_path / "data").exists()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    stub = tmp_path / "bin" / "regreen"
    stub.parent.mkdir()
    stub.write_text(STUB)
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "script").mkdir()
    for shell, script in SCRIPTS.items():
        (tmp_path / "script" / shell).write_text(script)
    return tmp_path


# two prompts, so that what is echoed is not taken for the second one
BEGIN = {
    Shell.BASH: (["--norc", "--noprofile", "-i"], "PS1='ready''> '; source script/bash\n"),
    Shell.ZSH: (["-f", "-i"], "PS1='ready''> '; autoload -Uz compinit; compinit -u -D; source script/zsh\n"),
    Shell.FISH: (
        ["--no-config", "--init-command", "function fish_prompt; echo -n 'ready? '; end", "-i"],
        "source script/fish; function fish_prompt; echo -n 'ready''> '; end\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", list(Shell))
def test_a_shell_completes_an_id_over_its_colons_and_runs_nothing_of_it(shell: Shell, home: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    arguments, begin = BEGIN[shell]
    environ = {"PATH": f"{home / 'bin'}:{os.environ['PATH']}", "HOME": str(home), "TERM": "dumb", "LANG": "C.UTF-8"}
    environ |= {"PS1": "ready? ", "PROMPT": "ready? "}
    with Terminal([program, *arguments], environ, home) as terminal:
        terminal.until("ready? ")
        terminal.type(begin)
        terminal.until("ready> ")
        terminal.type("regreen show acme/app:issue-2\t")
        terminal.until("regreen show acme/app:issue-22:d2")
    assert not (home / "hacked").exists()
