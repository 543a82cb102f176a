"""What has had its time is removed, from files and from tables, and nothing that anybody still needs."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from fakes_store import FakeTime, fix_issue

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.logs import FileLogs
from bot.adapters.store import (
    SqlArtifacts,
    SqlEndedSessions,
    SqlInbox,
    SqlLedger,
    SqlLogs,
    SqlRuns,
    SqlUnsaid,
    SqlWishes,
    connect,
    migrate,
)
from bot.adapters.store.old import SqlOld
from bot.errors import StoreError
from bot.events import Delivery
from bot.jobs import JobOutcome, State, job_id
from bot.pipeline.keeping import DAY, FEW, MOST_ROUNDS, KeepFor, Keeping, Removed
from bot.pipeline.ports.store import Asked
from bot.pipeline.spending.ledger import Account, Allowance

ENDED = JobOutcome(State.GREEN, "Nothing to fix")
BEGAN = 1_700_000_000.0


class Jobs:
    """What the engine was told to erase."""

    def __init__(self) -> None:
        self.erased: list[str] = []

    def erase(self, identities: tuple[str, ...]) -> None:
        self.erased += identities


@dataclass(frozen=True)
class Place:
    engine: sa.Engine
    now: FakeTime
    logs: FileLogs | SqlLogs
    artifacts: FileArtifacts | SqlArtifacts
    jobs: Jobs
    directory: Path

    @property
    def keeping(self) -> Keeping:
        return Keeping(KeepFor(90, 7), SqlOld(self.engine), self.logs, self.artifacts, self.jobs, self.now)

    @property
    def runs(self) -> SqlRuns:
        return SqlRuns(self.engine, self.now)

    def run(self, number: int, *, ended: bool) -> str:
        """A run with a log and an artifact, whose name is returned."""
        job = fix_issue(number)
        identity = self.runs.started(job_id(job), job)
        self.logs.journal(identity, self.now, str, str).append("started", {})
        self.artifacts.put(identity.encode())
        if ended:
            self.runs.ended(identity, ENDED)
        self.age()
        return identity

    def age(self) -> None:
        """Files are as old as the clock of the test says."""
        for path in self.directory.rglob("*"):
            if path.is_file() and path.stat().st_mtime > BEGAN + 1_000 * DAY:
                os.utime(path, (self.now.seconds, self.now.seconds))

    def left(self, *identities: str) -> list[tuple[bool, bool, bool]]:
        """Of each run, whether its row, its log and its artifact are there."""
        return [(self._row(one), bool(self.logs.lines(one, 0)), self._artifact(one)) for one in identities]

    def _row(self, identity: str) -> bool:
        return any(run.identity == identity for run in self.runs.recent(999))

    def _artifact(self, identity: str) -> bool:
        digest = FileArtifacts(self.directory / "spare").put(identity.encode())
        try:
            return self.artifacts.get(digest) == identity.encode()
        except StoreError:
            return False


@pytest.fixture(params=["files", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    now = FakeTime(BEGAN)
    url = request.getfixturevalue("postgres") if request.param == "postgres" else f"sqlite:///{tmp_path / 'one.sqlite'}"
    migrate(url)
    engine = connect(url)
    if request.param == "postgres":
        yield Place(engine, now, SqlLogs(engine), SqlArtifacts(engine, now), Jobs(), tmp_path)
    else:
        yield Place(engine, now, FileLogs(tmp_path / "runs"), FileArtifacts(tmp_path / "a"), Jobs(), tmp_path)
    engine.dispose()


def test_runs_go_with_their_logs_and_artifacts_ninety_days_after_their_end(place: Place) -> None:
    old = place.run(1, ended=True)
    place.now.seconds += 2 * DAY
    young = place.run(2, ended=True)
    place.now.seconds += 89 * DAY
    removed = place.keeping.look()
    assert (removed.runs, removed.artifacts, place.jobs.erased) == (1, 1, [old])
    assert place.left(old, young) == [(False, False, False), (True, True, True)]
    assert not place.keeping.look()


def test_what_an_open_run_needs_stays_however_old_it_is(place: Place) -> None:
    open_run = place.run(1, ended=False)
    later = place.run(2, ended=True)
    place.now.seconds += 400 * DAY
    assert place.keeping.look().runs == 1
    assert place.left(open_run) == [(True, True, True)]
    assert place.left(later) == [(False, False, True)]
    place.runs.ended(open_run, ENDED)
    place.now.seconds += 91 * DAY
    assert place.keeping.look().artifacts == 2
    assert place.left(open_run, later) == [(False, False, False)] * 2


def test_an_artifact_that_was_put_again_lately_stays(place: Place) -> None:
    old = place.run(1, ended=True)
    place.now.seconds += 89 * DAY
    place.artifacts.put(old.encode())
    place.age()
    place.now.seconds += 2 * DAY
    place.keeping.look()
    assert place.left(old) == [(False, False, True)]


def test_a_run_of_which_something_is_to_be_said_or_settled_stays(place: Place) -> None:
    untold, unsettled = place.run(1, ended=True), place.run(2, ended=True)
    SqlUnsaid(place.engine, place.now).keep(untold, "word")
    ledger = SqlLedger(place.engine, place.now)
    allowance = Allowance(run=2.0, pull_request=5.0, repository_day=8.0, installation_day=10.0, attempts=3)
    account = Account(99, "1", "issue-2")
    ledger.reserve(unsettled, account, allowance)
    place.now.seconds += 91 * DAY
    removed = place.keeping.look()
    assert (removed.runs, removed.logs) == (0, 0)
    assert [log for _, log, _ in place.left(untold, unsettled)] == [True, True]
    ledger.settle(unsettled, 0.5)
    SqlUnsaid(place.engine, place.now).done(untold)
    assert place.keeping.look().runs == 2
    # what was spent counts against the subject's budget for good
    assert ledger.left(account, allowance).attempts == 1


def test_bodies_go_a_week_after_their_decision_and_count_once_for_ever(place: Place) -> None:
    inbox = SqlInbox(place.engine, place.now)
    for name in ("decided", "waiting"):
        inbox.accept(Delivery(name, "issues", name.encode()))
    inbox.decide("decided", "another label", None)
    place.now.seconds += 6 * DAY
    assert place.keeping.look() == Removed()
    place.now.seconds += 400 * DAY
    assert place.keeping.look() == Removed(bodies=1)
    assert [found.body for found in inbox.pending(9)] == [b"waiting"]
    assert [inbox.accept(Delivery(name, "issues", b"decided")) for name in ("decided", "again")] == [False, False]


def test_wishes_that_were_seen_to_go_and_others_stay(place: Place) -> None:
    wishes = SqlWishes(place.engine)
    first, _second = (wishes.ask(f"run-{number}", Asked.CANCEL, "ann", place.now.seconds) for number in (1, 2))
    wishes.done(first, "cancelled")
    with place.engine.begin() as connection:
        connection.execute(sa.text("UPDATE wishes SET done_at = :at WHERE done_at IS NOT NULL"), {"at": BEGAN})
    place.now.seconds += 91 * DAY
    assert place.keeping.look() == Removed(wishes=1)
    assert [wish.identity for wish in wishes.open(9)] == ["run-2"]


def test_sessions_that_were_signed_out_of_go_a_day_after_they_would_have_ended_whatever_else_is_kept(
    place: Place,
) -> None:
    ended = SqlEndedSessions(place.engine)
    ended.end("old", int(place.now.seconds))
    ended.end("young", int(place.now.seconds + DAY))
    place.now.seconds += DAY
    keeping = replace(place.keeping, terms=KeepFor(0, 0))
    assert not keeping.look()
    place.now.seconds += 1
    assert keeping.look() == Removed(sessions=1)
    assert [ended.has_ended(one) for one in ("old", "young")] == [False, True]


def test_one_look_is_bounded_and_the_next_goes_on(place: Place) -> None:
    with place.engine.begin() as connection:
        row = "INSERT INTO deliveries (delivery_id, event, body, received_at, not_before, decided_at) VALUES"
        rows = [{"name": f"d-{number}", "body": b"x", "at": BEGAN} for number in range(FEW * MOST_ROUNDS + 5)]
        connection.execute(sa.text(f"{row} (:name, 'issues', :body, :at, :at, :at)"), rows)
    place.now.seconds += 30 * DAY
    assert [place.keeping.look().bodies for _ in range(3)] == [FEW * MOST_ROUNDS, 5, 0]


def test_zero_days_keep_for_ever(place: Place) -> None:
    kept = place.run(1, ended=True)
    place.now.seconds += 4_000 * DAY
    assert not replace(place.keeping, terms=KeepFor(0, 0)).look()
    assert place.left(kept) == [(True, True, True)]


def test_logs_of_local_runs_go_by_when_they_were_written_last(tmp_path: Path) -> None:
    logs = FileLogs(tmp_path)
    for number in range(3):
        logs.journal(f"local-{number}", FakeTime(BEGAN), str, str).append("started", {})
        os.utime(logs.directory(f"local-{number}") / "log.jsonl", (BEGAN + number, BEGAN + number))
    assert [logs.prune(BEGAN + 2, most, tuple) for most in (1, 9, 9)] == [1, 1, 0]
    assert len(list(tmp_path.iterdir())) == 1
