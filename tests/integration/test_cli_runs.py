"""`regreen runs`, `show`, `logs`, `cancel`, `retry`, `workers` over a real store: the files of SQLite, or Postgres."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bot.adapters.store import SqlRuns, SqlWishes, connect, migrate
from bot.cli import app
from bot.cli.statuses import Status
from bot.engine.lock import locked
from bot.jobs import FixIssue, JobOutcome, State, job_id
from bot.settings import Settings, load
from bot.wiring import database_url, storage
from bot.wiring.jobs import SystemClock

RUN = CliRunner()
# a test that runs in the background of a shell hands on that it ignores Ctrl-C
REGREEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from bot.cli import main; main()"
HOSTILE = "\x1b]0;owned\x07\x1b[2Jred"


class Store:
    """One run that has ended and one that works, each with a log."""

    def __init__(self, settings: Settings) -> None:
        url = database_url(settings)
        migrate(url)
        self.database = connect(url)
        self.runs, self.wishes = SqlRuns(self.database), SqlWishes(self.database)
        self.logs = storage.logs(settings, self.database)
        self.ended, self.open = self._run(1), self._run(2)
        self.end(self.ended)

    def _run(self, number: int) -> str:
        job = FixIssue(f"d-{number}", 7, "acme/app", "main", number, "t", "b", "ines")
        self.append(job_id(job), "step_started", {"step": "admit"})
        return self.runs.started(job_id(job), job)

    def append(self, identity: str, event: str, fields: dict[str, Any]) -> None:
        journal = self.logs.journal(identity, SystemClock(), str, str)
        for line in self.logs.lines(identity, 0):
            held = json.loads(line)
            journal.append(held["event"], held["fields"])
        journal.append(event, fields)

    def end(self, identity: str) -> None:
        self.append(identity, "ended", {"state": "unsolved", "headline": HOSTILE})
        self.runs.ended(identity, JobOutcome(State.UNSOLVED, HOSTILE, seconds=2.5))


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    if request.param == "postgres":
        monkeypatch.setenv("REGREEN_DATABASE_URL", request.getfixturevalue("postgres"))
    made = Store(load())
    yield made
    made.database.dispose()


def run(*arguments: str) -> Result:
    return RUN.invoke(app, arguments)


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def test_runs_are_listed_filtered_and_shown(store: Store) -> None:
    assert [one["id"] for one in document("runs")["runs"]] == [store.open, store.ended]
    assert [one["id"] for one in document("runs", "--state", "open")["runs"]] == [store.open]
    assert [one["id"] for one in document("runs", "--subject", "issue-1", "-r", "Acme/App")["runs"]] == [store.ended]
    assert document("show", "acme/app:issue-1")["run"]["state"] == "unsolved"
    assert run("runs", "--state", "happy").exit_code == Status.WRONG_USAGE
    missing = run("show", "nobody", "--json")
    assert (missing.exit_code, json.loads(missing.stdout)["error"]["kind"]) == (Status.COULD_NOT_RUN, "NotFoundError")
    for told in (run("runs"), run("show", store.ended), run("logs", store.ended)):
        assert told.exit_code == Status.DONE
        assert "\x1b" not in told.output
        assert "\x07" not in told.output


def test_a_log_is_followed_until_its_run_ends(store: Store) -> None:
    later = threading.Timer(1.5, store.end, [store.open])
    later.start()
    done = run("logs", "--follow", "--json", store.open)
    later.join()
    assert done.exit_code == Status.DONE
    assert [json.loads(text)["event"] for text in done.stdout.splitlines()] == ["step_started", "ended"]
    assert [one["event"] for one in document("logs", store.ended)["entries"]] == ["step_started", "ended"]


def test_a_wish_is_noted_for_the_workers(store: Store) -> None:
    assert run("cancel", store.open, "--wait", "0").exit_code == Status.DONE
    assert run("retry", store.ended, "--wait", "0.1").exit_code == Status.NOT_GOOD
    assert run("cancel", store.ended).exit_code == Status.NOT_GOOD
    found = store.wishes.open(5)
    assert [(one.identity, one.what) for one in found] == [(store.open, "cancel"), (store.ended, "retry")]
    assert all("on the command line" in one.by for one in found)


def test_workers_are_none_until_one_runs(store: Store, request: pytest.FixtureRequest) -> None:
    assert run("workers").exit_code == Status.NOT_GOOD
    if request.node.callspec.params["store"] == "sqlite":
        assert store
        with locked(load().data_dir / "worker.lock"):
            assert document("workers")["workers"] == [{"executor": "worker", "pid": os.getpid(), "state": "works"}]


def test_without_a_database_that_is_said_and_none_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    for words in (["runs"], ["show", "x"], ["logs", "x"], ["cancel", "x"], ["retry", "x"], ["workers"]):
        done = run(*words, "--json")
        assert done.exit_code == Status.COULD_NOT_RUN
        assert json.loads(done.stdout)["error"]["kind"] == "StoreError"
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ctrl-c", "closed pipe"])
def test_following_ends_without_a_word_when_nobody_reads_any_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    store = Store(load())
    with subprocess.Popen(
        [sys.executable, "-P", "-c", REGREEN, "logs", "--follow", store.open],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as following:
        assert following.stdout is not None
        assert following.stderr is not None
        assert b"admit" in following.stdout.readline()
        if how == "ctrl-c":
            following.send_signal(signal.SIGINT)
        else:
            following.stdout.close()
            store.append(store.open, "step_ended", {"step": "admit", "seconds": 1.0})
        expected = Status.INTERRUPTED if how == "ctrl-c" else Status.PIPE_CLOSED
        assert (following.wait(120), following.stderr.read()) == (expected, b"")
