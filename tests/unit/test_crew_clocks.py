"""Who is taken out, whatever the database's clock says: only one that was watched, silent, for its whole lease."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from fakes_store import FakeTime

from bot.adapters.store import SqlFleet, connect, migrate
from bot.engine.crew import BEATS, Crew
from bot.engine.lease import HELD, Lease
from bot.engine.underway import Underway
from bot.pipeline.ports.fleet import Member

LEASE = 60.0
HERE, THERE = (Member(f"{name}-1-aa", name, 1, "3", 2, LEASE) for name in ("here", "there"))
STEPS = (0.0, 2 * LEASE, -3_600.0)
"""By how many seconds the database's clock is set, forward and back."""


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[SqlFleet]:
    url = f"sqlite:///{tmp_path / 'r.sqlite'}"
    migrate(url)
    made = SqlFleet(connect(url))
    yield made
    made.close()


def enlisted(fleet: SqlFleet, member: Member, clock: FakeTime) -> Crew:
    crew = Crew(fleet, member, Underway(Lease(LEASE, clock)))
    crew.enlist()
    return crew


def set_clock(fleet: SqlFleet, seconds: float) -> None:
    """As if the database's clock had been set: all that was written is so much older."""
    with fleet.engine.begin() as connection:
        connection.execute(sa.text("UPDATE workers SET beat_at = beat_at - :seconds"), {"seconds": seconds})


@pytest.mark.parametrize("step", STEPS)
def test_one_that_beats_lives_on(fleet: SqlFleet, step: float) -> None:
    clock = FakeTime(100.0)
    here, there = (enlisted(fleet, member, clock) for member in (HERE, THERE))
    for _ in range(3 * BEATS):
        set_clock(fleet, step)
        assert here.bury() == ()
        there.beat()
        clock.seconds += LEASE / BEATS
        here.beat()
    assert there.underway.lease.held
    assert len(here.living()) == 2


@pytest.mark.parametrize("step", STEPS)
def test_one_that_is_silent_is_taken_out_after_its_lease_and_has_stopped_by_itself_before(
    fleet: SqlFleet, step: float
) -> None:
    clock = FakeTime(100.0)
    here, there = (enlisted(fleet, member, clock) for member in (HERE, THERE))
    assert here.bury() == ()
    set_clock(fleet, step)
    began, stopped = clock.seconds, 0.0
    while THERE.executor not in (buried := here.bury()):
        assert buried == ()
        stopped = stopped or (0.0 if there.underway.lease.held else clock.seconds)
        clock.seconds += LEASE / BEATS
        here.beat()
    # once more where the clock was set, since that looked like a beat
    assert LEASE <= clock.seconds - began <= LEASE * (1 + 1 / BEATS)
    assert stopped - began <= HELD * LEASE
    there.underway.lease.end()
    there.beat()
    assert here.living() == (HERE,)


def test_who_comes_anew_takes_out_nobody_before_it_has_watched_for_a_lease(fleet: SqlFleet) -> None:
    clock = FakeTime(100.0)
    enlisted(fleet, THERE, clock)
    set_clock(fleet, 10 * LEASE)
    here = enlisted(fleet, HERE, clock)
    assert here.bury() == ()
    clock.seconds += LEASE - 1
    assert here.bury() == ()


def test_one_that_had_to_let_its_jobs_go_is_silent_though_the_database_is_back(fleet: SqlFleet) -> None:
    clock = FakeTime(100.0)
    there = enlisted(fleet, THERE, clock)
    clock.seconds += HELD * LEASE
    (before,) = fleet.workers()
    there.beat()
    (after,) = fleet.workers()
    assert before.beat_at == after.beat_at
