"""What the list of workers does, on each database, and what every count of starts does."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.adapters.store import SqlFleet, connect, migrate
from bot.engine.starts import FileStarts
from bot.pipeline.ports.fleet import Member, Starts
from bot.wiring.engine import WORDS, build_fleet

ONE = Member("host-1-aa", "host", 1, "3", 4, 60.0)
TWO = Member("host-2-bb", "host", 2, "3", 2, 60.0)


@contextmanager
def opened(request: pytest.FixtureRequest, directory: Path) -> Iterator[sa.Engine]:
    made = f"sqlite:///{directory / 'regreen.sqlite'}" if request.param == "sqlite" else ""
    url = made or request.getfixturevalue("postgres")
    migrate(url)
    engine = connect(url)
    yield engine
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Engine]:
    with opened(request, tmp_path) as made:
        yield made


@pytest.fixture
def fleet(engine: sa.Engine) -> SqlFleet:
    return SqlFleet(engine)


def age(engine: sa.Engine, member: Member, seconds: float) -> None:
    """Let its last beat be so much longer ago."""
    change = sa.text("UPDATE workers SET beat_at = beat_at - :seconds WHERE executor = :executor")
    with engine.begin() as connection:
        connection.execute(change, {"seconds": seconds, "executor": member.executor})


def test_those_that_beat_are_known_with_what_is_in_their_hands(fleet: SqlFleet) -> None:
    fleet.enlist(ONE)
    fleet.enlist(TWO)
    assert fleet.beat(ONE.executor, {"octo/fizz:issue-7:d": False}, draining=True)
    one, two = fleet.workers()
    assert (one.member, two.member) == (ONE, TWO)
    assert one.jobs == {"octo/fizz:issue-7:d": False}
    assert (one.draining, two.draining, two.jobs) == (True, False, {})
    assert not one.lapsed
    assert one.started_at <= one.beat_at <= time.time() + 60


def test_silence_is_counted_by_the_databases_clock(fleet: SqlFleet, engine: sa.Engine) -> None:
    fleet.enlist(ONE)
    age(engine, ONE, 61.0)
    (one,) = fleet.workers()
    assert one.lapsed
    assert 61.0 <= one.silent < 91.0


def test_a_beat_is_taken_down_while_the_row_is_there_whatever_the_databases_clock_says(
    fleet: SqlFleet, engine: sa.Engine
) -> None:
    fleet.enlist(ONE)
    for step in (61.0, -3_600.0):
        age(engine, ONE, step)
        assert fleet.beat(ONE.executor, {})
        (one,) = fleet.workers()
        assert 0.0 <= one.silent < 30.0


def test_only_one_that_has_not_beaten_since_is_taken_out_and_by_one_call(fleet: SqlFleet) -> None:
    fleet.enlist(ONE)
    fleet.enlist(TWO)
    seen = {worker.member: worker.beat_at for worker in fleet.workers()}
    time.sleep(0.01)
    assert fleet.beat(TWO.executor, {})
    buried = [fleet.bury(member.executor, seen[member]) for member in (ONE, ONE, TWO)]
    assert buried == [True, False, False]
    assert [worker.member for worker in fleet.workers()] == [TWO]
    assert not fleet.beat(ONE.executor, {})


def test_each_is_bound_by_its_own_lease(fleet: SqlFleet, engine: sa.Engine) -> None:
    patient = replace(TWO, lease=600.0)
    fleet.enlist(ONE)
    fleet.enlist(patient)
    for member in (ONE, patient):
        age(engine, member, 100.0)
    assert [worker.lapsed for worker in fleet.workers()] == [True, False]


def test_one_that_leaves_is_gone(fleet: SqlFleet) -> None:
    fleet.enlist(ONE)
    fleet.leave(ONE.executor)
    assert fleet.workers() == ()
    assert not fleet.beat(ONE.executor, {})


def test_a_count_of_starts_that_waits_keeps_no_beat_waiting(postgres: str) -> None:
    migrate(postgres)
    fleet = build_fleet(postgres, 60.0)
    fleet.enlist(ONE)
    # as many as wait for a table that somebody has locked
    waiting = [fleet.engine.connect() for _ in range(WORDS)]
    assert fleet.beat(ONE.executor, {})
    for connection in waiting:
        connection.close()
    fleet.close()


StartsOf = Callable[[str], Starts]


@pytest.fixture(params=["files", "sqlite", "postgres"])
def starts_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StartsOf]:
    """The counts for a worker; files know no more than one."""
    if request.param == "files":
        yield lambda _executor: FileStarts(tmp_path / "starts")
        return
    with opened(request, tmp_path) as made:
        yield SqlFleet(made).starts


def test_starts_in_a_row_add_up_whichever_worker_makes_them(starts_of: StartsOf) -> None:
    counts = [starts_of(executor).begin("a") for executor in ("one", "one", "two")]
    assert [*counts, starts_of("two").begin("b")] == [1, 2, 3, 1]


def test_a_job_that_gets_on_is_counted_anew(starts_of: StartsOf) -> None:
    starts = starts_of("one")
    starts.begin("a")
    starts.got_on("a")
    starts.got_on("a")
    assert starts_of("two").begin("a") == 1


def test_a_worker_that_is_stopped_in_good_order_leaves_no_count(starts_of: StartsOf) -> None:
    starts_of("one").begin("a")
    starts_of("one").clear()
    assert starts_of("two").begin("a") == 1
