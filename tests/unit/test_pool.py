"""Lanes of deliveries: in each one after the other, several at once, and one that hangs holds up only itself."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from fakes_desk import Around, HeldEngine, dispatcher
from fakes_github import FakeGitHub
from fakes_leases import FakeLeases, holding
from fakes_store import FakeInbox, FakeRuns, FakeTime
from structlog.testing import capture_logs

from bot.errors import StoreError
from bot.events import Delivery
from bot.pipeline.intake.dispatch import Dispatcher
from bot.pipeline.intake.holding import Holding, Undisputed
from bot.pipeline.intake.lookup import Decision
from bot.pipeline.intake.pool import Pool
from bot.pipeline.ports.store import LANE
from bot.triggers import Ignore

SECONDS = 30.0


def received(name: str, lane: str) -> Delivery:
    return Delivery(name, "issues", json.dumps({"repository": {"full_name": lane}, "name": name}).encode())


@dataclass
class Slow:
    """`Lookup` that hangs at the deliveries of `hanging`, and keeps what it was asked, in order."""

    hanging: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)
    came: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    released: threading.Event = field(default_factory=threading.Event)

    def decision(self, delivery: Delivery) -> Decision:
        self.asked.append(delivery.delivery_id)
        self.came.release()
        if delivery.delivery_id in self.hanging:
            assert self.released.wait(SECONDS)
        return Ignore("nothing")


class Hasty(threading.Event):
    """Trouble passes at once."""

    def wait(self, timeout: float | None = None) -> bool:
        del timeout
        return self.is_set()


def over(inbox: FakeInbox, lookup: Any, leases: FakeLeases | None = None) -> Dispatcher:
    runs, around = FakeRuns(), Around(leases=leases or FakeLeases())
    made = dispatcher(inbox, HeldEngine(runs), runs, FakeGitHub(), around)
    return replace(made, lookup=lookup)


@pytest.fixture
def inbox() -> FakeInbox:
    made = FakeInbox()
    for name in ("one-1", "two-1", "one-2", "three-1", "two-2"):
        made.accept(received(name, f"o/{name.partition('-')[0]}"))
    return made


@pytest.fixture
def running() -> Iterator[Callable[[Pool], None]]:
    """Runs a pool until the test ends."""
    pools: list[tuple[Pool, threading.Thread]] = []

    def start(pool: Pool) -> None:
        thread = threading.Thread(target=pool.run)
        pools.append((pool, thread))
        thread.start()

    yield start
    for pool, thread in pools:
        pool.stop.set()
        thread.join(SECONDS)
        assert pool.drain(SECONDS)


def until(true: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(round(SECONDS / 0.01)):
        if true():
            return
        waited.wait(0.01)
    raise AssertionError(true)


def test_a_repository_that_hangs_holds_up_itself_only(inbox: FakeInbox, running: Callable[[Pool], None]) -> None:
    lookup = Slow(frozenset({"one-1"}))
    running(Pool(over(inbox, lookup), threading.Event()))
    until(lambda: inbox.decisions.keys() == {"two-1", "two-2", "three-1"})
    assert "one-2" not in lookup.asked
    lookup.released.set()
    until(lambda: len(inbox.decisions) == 5)
    assert [name for name in lookup.asked if name.startswith("one")] == ["one-1", "one-2"]
    assert [name for name in lookup.asked if name.startswith("two")] == ["two-1", "two-2"]


def test_no_more_lanes_than_threads_are_begun_and_the_oldest_first(
    inbox: FakeInbox, running: Callable[[Pool], None]
) -> None:
    lookup = Slow(frozenset(inbox.deliveries))
    pool = Pool(over(inbox, lookup), threading.Event(), size=2)
    running(pool)
    for _ in range(2):
        assert lookup.came.acquire(timeout=SECONDS)
    assert pool.feed() == 0
    assert sorted(lookup.asked) == ["one-1", "two-1"]
    lookup.released.set()
    until(lambda: len(inbox.decisions) == 5)


def test_a_lane_ends_after_the_delivery_under_way_when_the_worker_stops(inbox: FakeInbox) -> None:
    lookup = Slow(frozenset({"one-1"}))
    pool = Pool(over(inbox, lookup), threading.Event(), size=1)
    assert pool.feed() == 1
    assert lookup.came.acquire(timeout=SECONDS)
    pool.stop.set()
    assert not pool.drain(0.0)
    lookup.released.set()
    assert pool.drain(SECONDS)
    assert list(inbox.decisions) == ["one-1"]


def test_a_lane_whose_store_fails_is_taken_up_again(inbox: FakeInbox) -> None:
    lookup = Slow()
    pool = Pool(over(inbox, lookup), Hasty(), size=1)
    inbox.undecided = True
    with capture_logs() as logs:
        pool.feed()
        assert pool.drain(SECONDS)
    assert [line["event"] for line in logs] == ["inbox_failed"]
    inbox.undecided = False
    pool.feed()
    assert pool.drain(SECONDS)
    assert inbox.decisions.keys() == {"one-1", "one-2"}


def test_what_another_worker_has_is_left_to_it(inbox: FakeInbox) -> None:
    leases = FakeLeases("one")
    other = FakeLeases("other", leases.now, leases.held)
    other.take(f"{LANE}o/one", 60)
    lookup = Slow()
    ours = over(inbox, lookup, leases)
    ours.step()
    assert inbox.decisions.keys() == {"two-1", "two-2", "three-1"}
    leases.now.seconds += 60
    ours.step()
    assert len(inbox.decisions) == 5


def test_nothing_is_done_after_a_lease_that_could_not_be_renewed(inbox: FakeInbox) -> None:
    leases = FakeLeases()

    @dataclass
    class Hanging:
        def decision(self, delivery: Delivery) -> Decision:
            # as long as GitHub took, nobody could be told that this worker lives
            leases.now.seconds += 40
            return Ignore(delivery.delivery_id)

    ours = over(inbox, Hanging(), leases)
    with capture_logs() as logs:
        ours.work("o/one")
    assert [line["event"] for line in logs] == ["delivery_left"] * 2
    assert inbox.decisions == {}


def test_a_worker_without_others_lets_one_of_its_threads_at_a_time_have_a_lane() -> None:
    now = FakeTime()
    alone = Holding(Undisputed(), now)
    assert alone.take("a")
    assert not alone.take("a")
    now.seconds += 50
    alone.beat()
    now.seconds += 20
    alone.require("a")
    alone.drop("a")
    with alone.turn("a") as ours:
        assert ours


def test_a_lease_that_is_renewed_in_time_lasts() -> None:
    leases = FakeLeases()
    ours = holding(leases)
    assert ours.take("a")
    assert not ours.take("a")
    for _ in range(10):
        leases.now.seconds += 25
        ours.beat()
        ours.require("a")
    ours.drop("a")
    assert ours.take("a")


def test_a_worker_that_could_not_take_a_lease_for_trouble_may_try_again() -> None:
    @dataclass
    class Broken(FakeLeases):
        broken: bool = True

        def take(self, name: str, seconds: float) -> bool:
            if self.broken:
                raise StoreError("The database failed", "Repair it.")
            return super().take(name, seconds)

    leases = Broken()
    ours = holding(leases)
    with pytest.raises(StoreError):
        ours.take("a")
    leases.broken = False
    assert ours.take("a")
