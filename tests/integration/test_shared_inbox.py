"""Several workers over one inbox: each delivery is decided once, in order within its repository, whoever dies."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest
import sqlalchemy as sa
from fakes_desk import Around, HeldEngine, dispatcher
from fakes_github import FakeGitHub
from fakes_store import FakeInbox, FakeRuns, FakeTime

from bot.adapters.store import SqlInbox, SqlLeases, connect, migrate
from bot.events import Delivery
from bot.pipeline.intake.dispatch import Dispatcher
from bot.pipeline.intake.holding import Holding
from bot.pipeline.intake.lookup import Decision, Lookup
from bot.pipeline.intake.pool import Pool
from bot.pipeline.ports.store import LANE
from bot.triggers import Ignore

SECONDS = 120.0
WORKERS, LANES, EACH = 3, 5, 6


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Engine]:
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'r.sqlite'}" if sqlite else request.getfixturevalue("postgres")
    migrate(url)
    made = connect(url)
    yield made
    made.dispose()


@dataclass
class Watching:
    """A `Lookup` that several workers share; keeps what was decided, in order, and where two met in a repository."""

    decided: list[str] = field(default_factory=list)
    within: set[str] = field(default_factory=set)
    met: list[str] = field(default_factory=list)

    def decision(self, delivery: Delivery) -> Decision:
        lane = json.loads(delivery.body)["repository"]["full_name"]
        if lane in self.within:
            self.met.append(lane)
        self.within.add(lane)
        time.sleep(0.002)
        self.within.discard(lane)
        self.decided.append(delivery.delivery_id)
        return Ignore("nothing")


def worker(engine: sa.Engine, name: str, lookup: Watching, now: FakeTime | None = None) -> Dispatcher:
    runs = FakeRuns()
    made = dispatcher(FakeInbox(), HeldEngine(runs), runs, FakeGitHub(), Around())
    held = Holding(SqlLeases(engine, name, now), now or time.monotonic)
    return replace(made, inbox=SqlInbox(engine, now), lookup=cast("Lookup", lookup), holding=held)


def fill(inbox: SqlInbox) -> dict[str, list[str]]:
    """The ids of each repository, in the order in which they came."""
    came: dict[str, list[str]] = {}
    for number in range(LANES * EACH):
        lane, name = f"o/r{number % LANES}", f"d-{number}"
        body = json.dumps({"repository": {"full_name": lane}, "number": number}).encode()
        assert inbox.accept(Delivery(name, "issues", body))
        came.setdefault(lane, []).append(name)
    return came


def test_each_delivery_is_decided_by_one_worker_in_the_order_of_its_repository(engine: sa.Engine) -> None:
    inbox, lookup, stop = SqlInbox(engine), Watching(), threading.Event()
    came = fill(inbox)
    pools = [Pool(worker(engine, f"w{number}", lookup), stop, size=3) for number in range(WORKERS)]
    threads = [threading.Thread(target=pool.run) for pool in pools]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + SECONDS
    while inbox.counts().get("pending") and time.monotonic() < deadline:
        time.sleep(0.02)
    stop.set()
    for thread, pool in zip(threads, pools, strict=True):
        thread.join(SECONDS)
        assert pool.drain(SECONDS)
    assert lookup.met == []
    assert len(lookup.decided) == LANES * EACH
    for names in came.values():
        assert [name for name in lookup.decided if name in names] == names


def test_the_repositories_of_a_worker_that_died_wait_for_its_lease_and_no_longer(engine: sa.Engine) -> None:
    lookup, now = Watching(), FakeTime()
    inbox = SqlInbox(engine, now)
    came = fill(inbox)
    dead, living = (worker(engine, name, lookup, now) for name in ("dead", "living"))
    assert dead.holding.take(f"{LANE}o/r0")
    while living.step():
        pass
    assert not set(came["o/r0"]) & set(lookup.decided)
    assert inbox.lanes(9) == ()
    now.seconds += dead.holding.seconds
    assert inbox.lanes(9) == ("o/r0",)
    while living.step():
        pass
    assert lookup.decided[-EACH:] == came["o/r0"]
    assert len(lookup.decided) == LANES * EACH
