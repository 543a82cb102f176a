"""However a call fails, a script gets one document and an exit status, and a person one line and what to do."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bot.cli import app
from bot.cli.statuses import MEANINGS, Status

RUN = CliRunner()
REGREEN = Path(sys.executable).with_name("regreen")


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by its words."""

    def below(group: Any, words: str) -> Iterator[tuple[str, Any]]:
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from below(command, f"{words}{name} ")
            else:
                yield f"{words}{name}", command

    yield from below(typer.main.get_command(app), "")


ALL = dict(commands())


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("REGREEN_WEBHOOK_SECRETS", raising=False)


@pytest.mark.parametrize("words", ALL)
def test_every_command_prints_a_document_where_one_is_asked_for(words: str) -> None:
    assert any("--json" in one.opts for one in ALL[words].params)


@pytest.mark.parametrize("words", ALL)
def test_a_call_that_cannot_be_understood_is_a_document_too(words: str) -> None:
    done = RUN.invoke(app, [*words.split(), "--json", "--nothing-like-it"])
    assert done.exit_code == Status.WRONG_USAGE
    error = json.loads(done.stdout)["error"]
    assert error["kind"] == "WrongUsage"
    assert "--nothing-like-it" in error["cause"]
    assert "--help" in error["remedy"]
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [["fixx"], ["fix", "/nowhere"], ["fix"], ["deliveries", "list", "--limit", "0"]])
def test_wrong_usage_names_the_fault_and_where_the_help_is(arguments: list[str]) -> None:
    done = RUN.invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (Status.WRONG_USAGE, "")
    assert "Wrong usage: " in done.stderr
    assert "--help`" in done.stderr


def test_what_stands_after_two_dashes_asks_for_nothing() -> None:
    done = RUN.invoke(app, ["fix", "--", "--json"])
    assert (done.exit_code, done.stdout) == (Status.WRONG_USAGE, "")


def test_a_setting_that_is_wrong_is_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_PORT", "seventy")
    for words in ("serve", "worker", "deliveries list", "doctor"):
        done = RUN.invoke(app, [*words.split(), "--json"])
        assert done.exit_code == Status.COULD_NOT_RUN
        assert "REGREEN_PORT" in json.loads(done.stdout)["error"]["cause"]


def test_no_argument_steers_the_terminal() -> None:
    done = RUN.invoke(app, ["fix", "\x1b]0;title\x07\x1b[31mred"])
    assert done.exit_code == Status.WRONG_USAGE
    assert "\x1b" not in done.output
    assert "\x07" not in done.output


def test_off_a_terminal_nothing_is_coloured_or_framed_whatever_a_ci_service_sets(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "REGREEN_DATA_DIR": str(tmp_path), "TERM": "xterm-256color"}
    environ |= {"GITHUB_ACTIONS": "true", "PY_COLORS": "1"}
    for arguments in (["fix", "--help"], ["fix"], ["smee"]):
        done = subprocess.run([REGREEN, *arguments], env=environ, capture_output=True, check=False, timeout=120)
        assert done.stdout + done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
        assert "╭".encode() not in done.stdout + done.stderr


def test_a_pipe_that_nobody_reads_ends_a_command_without_a_complaint(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    environ = os.environ | {"REGREEN_DATA_DIR": str(tmp_path)}
    with os.fdopen(write, "wb") as nobody:
        done = subprocess.run(
            [REGREEN, "policy", "schema"], env=environ, stdout=nobody, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert (done.returncode, done.stderr) == (Status.PIPE_CLOSED, b"")


def test_every_status_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Status)


@pytest.mark.parametrize("words", ["policy schema", "runs --json", "runs --state nope --json", "--version"])
@pytest.mark.parametrize("where", [">/dev/full", ">&-"])
def test_an_output_that_takes_nothing_is_one_line_and_a_status(words: str, where: str) -> None:
    told = subprocess.run(
        ["/bin/sh", "-c", f'"$0" {words} {where}', REGREEN], capture_output=True, text=True, check=False
    )
    assert told.returncode == Status.COULD_NOT_RUN
    assert told.stderr.startswith("OutputError: Standard output cannot be written")
    assert "Traceback" not in told.stderr
    assert len(told.stderr.splitlines()) == 2, "the cause, and what helps"


def test_a_sequence_that_no_run_has_is_wrong_usage() -> None:
    assert RUN.invoke(app, ["runs", "--json", "--before", str(2**63)]).exit_code == Status.WRONG_USAGE
    assert RUN.invoke(app, ["runs", "--before", "9" * 30]).exit_code == Status.WRONG_USAGE
