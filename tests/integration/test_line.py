"""Many workers at one line of jobs: what each takes is its own, in order, and no limit is passed."""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa
from fakes_store import FakeRuns

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.store import migrate
from bot.engine.database import connect
from bot.engine.durable import APPLICATION_VERSION, DurableEngine, DurableSettings
from bot.engine.endings import Endings
from bot.engine.line import WAITING, Line
from bot.engine.shift import Parts, Shift
from bot.engine.starts import FileStarts
from bot.engine.turns import PATIENCE, Limits, Place
from bot.engine.underway import Underway
from bot.jobs import JobOutcome, State
from bot.wiring.engine import build_fleet

WORKERS, SLOTS, LIMITS = 4, 2, Limits(jobs=5, installation=3)
PLACES = tuple(Place(f"octo/r{number}", str(number % 2)) for number in range(8))
EACH = 4
QUEUE = """INSERT INTO dbos.workflow_status
(workflow_uuid, status, name, queue_name, queue_partition_key, priority, application_version, recovery_attempts)
VALUES (:id, 'ENQUEUED', 'fix', :queue, :place, :rank, :v, 0)"""
SECONDS = 120


def place_of(identity: str) -> Place:
    return next(place for place in PLACES if place.repository == identity.partition(":")[0])


@dataclass
class Site:
    """A database that DBOS has made its tables in, and what is under way there."""

    directory: Path
    url: str
    database: sa.Engine
    lock: threading.Lock = field(default_factory=threading.Lock)
    busy: dict[str, Place] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def queue(self, identity: str, place: Place, importance: int = 3) -> None:
        values = {"id": identity, "queue": WAITING, "place": str(place), "rank": importance, "v": APPLICATION_VERSION}
        self.do(QUEUE, **values)

    def end(self, identity: str) -> None:
        self.do("UPDATE dbos.workflow_status SET status = 'SUCCESS' WHERE workflow_uuid = :id", id=identity)

    def do(self, statement: str, **values: object) -> None:
        with self.database.begin() as connection:
            connection.execute(sa.text(statement), values)

    def shift(self, executor: str) -> Shift:
        line = Line(connect(self.url))
        parts = Parts(line, FakeRuns(), Endings(), APPLICATION_VERSION, SLOTS, LIMITS, lambda _: None)
        return Shift(parts, executor, FileStarts(self.directory / executor), Underway())

    def enter(self, identity: str) -> None:
        place = place_of(identity)
        with self.lock:
            if place.repository in {other.repository for other in self.busy.values()}:
                self.faults.append(f"{place.repository} has two jobs under way")
            self.busy[identity] = place
            self.begun.append(identity)
            of_each = Counter(other.installation for other in self.busy.values())
            if len(self.busy) > LIMITS.jobs or max(of_each.values()) > LIMITS.installation:
                self.faults.append(f"too many under way: {of_each}")

    def leave(self, identity: str) -> None:
        with self.lock:
            del self.busy[identity]


@pytest.fixture
def site(tmp_path: Path, postgres: str) -> Iterator[Site]:
    migrate(postgres)
    settings = DurableSettings(tmp_path, url=postgres)
    artifacts, fleet = FileArtifacts(tmp_path), build_fleet(postgres, settings.lease)
    outcome = JobOutcome(State.GREEN, "Nothing to fix")
    with DurableEngine(settings, lambda _job, _wrap: outcome, FakeRuns(), artifacts, fleet=fleet):
        pass
    made = Site(tmp_path, postgres, connect(postgres))
    yield made
    made.database.dispose()


def work(site: Site, executor: str, wanted: int) -> None:
    """Take and end jobs until all were begun; now and then die, and have what was taken given back as others do."""
    takes, shift = 0, site.shift(executor)
    while len(set(site.begun)) < wanted or site.busy:
        taken = shift.take()
        for identity in taken:
            site.enter(identity)
        takes += bool(taken)
        died = bool(taken) and takes % 4 == 0
        for identity in taken:
            site.leave(identity)
            if not died:
                site.end(identity)
        if died:
            shift.line.give_back(executor)
    shift.line.close()


def test_however_many_take_at_once_no_repository_has_two_jobs_and_no_limit_is_passed(site: Site) -> None:
    jobs = [f"{place.repository}:issue-{number}:d" for number in range(EACH) for place in PLACES]
    for identity in jobs:
        site.queue(identity, place_of(identity))
    with ThreadPoolExecutor(WORKERS) as pool:
        done = [pool.submit(work, site, f"w{number}", len(jobs)) for number in range(WORKERS)]
        for one in done:
            one.result(SECONDS)
    assert site.faults == []
    for place in PLACES:
        mine = dict.fromkeys(identity for identity in site.begun if identity.startswith(f"{place.repository}:"))
        assert list(mine) == [identity for identity in jobs if identity in mine]
        assert len(mine) == EACH


def test_what_is_given_back_goes_before_what_is_more_important(site: Site) -> None:
    place = PLACES[0]
    site.queue("octo/r0:issue-1:d", place)
    first = site.shift("first")
    assert first.take() == ("octo/r0:issue-1:d",)
    site.do("UPDATE dbos.workflow_status SET status = 'PENDING', recovery_attempts = 1")
    site.queue("octo/r0:pull-2:d", place, importance=1)
    second = site.shift("second")
    assert second.take() == ()
    assert first.line.give_back("first") == 1
    assert second.take() == ("octo/r0:issue-1:d",)
    for shift in (first, second):
        shift.line.close()


def test_within_a_repository_no_stream_of_reviews_keeps_the_backlog_out_for_ever(site: Site) -> None:
    place, before = PLACES[0], "UPDATE dbos.workflow_status SET created_at = created_at - :ms WHERE workflow_uuid = :id"
    for number, waited in enumerate((0.5, 1.5, 2.5)):
        site.queue(f"octo/r0:issue-{number}:d", place)
        site.do(before, ms=round(1_000 * PATIENCE * waited), id=f"octo/r0:issue-{number}:d")
    for rank in (1, 2):
        site.queue(f"octo/r0:pull-{rank}:d", place, rank)
    shift, order = site.shift("first"), list[str]()
    while taken := shift.take():
        order.append(taken[0].removeprefix("octo/r0:"))
        site.end(taken[0])
    shift.line.close()
    assert order == ["issue-2:d", "pull-1:d", "issue-1:d", "pull-2:d", "issue-0:d"]


def test_a_job_that_was_cancelled_meanwhile_is_not_taken_up_again(site: Site) -> None:
    site.queue("octo/r0:issue-1:d", PLACES[0])
    shift = site.shift("first")
    shift.take()
    site.do("UPDATE dbos.workflow_status SET status = 'CANCELLED', queue_name = NULL")
    assert shift.line.give_back("first") == 0
    assert shift.take() == ()
    shift.line.close()


def test_a_first_job_of_another_version_is_not_passed_by_those_behind_it(site: Site) -> None:
    site.queue("octo/r0:issue-1:d", PLACES[0])
    site.do("UPDATE dbos.workflow_status SET application_version = 'older'")
    site.queue("octo/r0:issue-2:d", PLACES[0])
    shift = site.shift("first")
    assert shift.take() == ()
    assert shift.line.of_others({APPLICATION_VERSION}) == (("octo/r0:issue-1:d", "older"),)
    shift.line.close()
