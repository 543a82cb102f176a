"""A data directory with runs in it: logs as the loop writes them, over a scripted suite and a scripted model."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from fakes_runs import write_run
from worlds import World, plain

from bot.adapters.logs import FileLogs
from bot.adapters.store import SqlRuns, connect, migrate
from bot.jobs import FixCheck, FixIssue, Job, JobOutcome, State, job_id
from bot.settings import Settings
from bot.wiring import database_url

ISSUE = FixIssue(
    "3f2c9a10-0b5e-11f1-8de9-0242ac120002", 7, "acme/app", "main", 7, "Fifty points should pass", "", "ines"
)
CHECK = FixCheck("5d0d351d-0b5e-11f1-8de9-0242ac120002", 7, "acme/app", "main", "9d1e" * 10, 3, "ines")
LONG_AGO = FixIssue("11aa22bb-0b5e-11f1-8de9-0242ac120002", 7, "acme/site", "main", 2, "Broken links", "", "ines")


def asked_for(shown: str) -> float:
    """The time that a list shows so, in UTC."""
    return datetime.strptime(f"{shown}+0000", "%Y-%m-%d %H:%M:%S%z").astimezone(UTC).timestamp()


@contextmanager
def with_runs(home: Path) -> Iterator[World]:
    """One run that failed long ago, one that works, and one that ended with a pull request."""
    with plain(home) as world:
        settings = Settings(data_dir=home / "data")
        url = database_url(settings)
        migrate(url)
        database = connect(url)
        try:
            _write(settings, SqlRuns(database, lambda: moment[0]), moment := [0.0])
        finally:
            database.dispose()
        yield world


def _write(settings: Settings, runs: SqlRuns, moment: list[float]) -> None:
    _begin(runs, moment, LONG_AGO, "2023-11-14 22:13:20")
    runs.ended(job_id(LONG_AGO), JobOutcome(State.FAILED, "The engine did not answer", seconds=9.0))
    _begin(runs, moment, CHECK, "2025-11-30 13:01:40")
    _begin(runs, moment, ISSUE, "2025-11-30 13:02:11")
    write_run(FileLogs(settings.data_dir / "runs").directory(job_id(ISSUE)) / "log.jsonl")
    moment[0] += 72.0
    told = JobOutcome(State.PUBLISHED, "Opened pull request #9", "solved", 9, tokens=600, dollars=0.25, seconds=72.0)
    runs.ended(job_id(ISSUE), told)


def _begin(runs: SqlRuns, moment: list[float], job: Job, when: str) -> None:
    moment[0] = asked_for(when)
    runs.started(job_id(job), job)
    runs.begun(job_id(job), "worker-1")
