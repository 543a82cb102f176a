"""What only one worker may do at a time, whichever store says so."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes_leases import FakeLeases
from fakes_store import FakeTime

from bot.adapters.store import SqlLeases, connect, migrate
from bot.pipeline.ports.leases import Leases

HolderFor = Callable[[str], Leases]


@pytest.fixture
def now() -> FakeTime:
    return FakeTime()


@pytest.fixture(params=["fake", "sqlite", "postgres"])
def holder(request: pytest.FixtureRequest, tmp_path: Path, now: FakeTime) -> Iterator[HolderFor]:
    """Makes holders over one store."""
    if request.param == "fake":
        shared = FakeLeases(now=now)
        yield lambda owner: FakeLeases(owner, now, shared.held)
        return
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'r.sqlite'}" if sqlite else request.getfixturevalue("postgres")
    migrate(url)
    engine = connect(url)
    yield lambda owner: SqlLeases(engine, owner, now)
    engine.dispose()


def test_what_one_holds_another_gets_when_it_is_given_back_or_its_time_is_over(
    holder: HolderFor, now: FakeTime
) -> None:
    one, other = holder("one"), holder("other")
    assert one.take("a", 60)
    assert not other.take("a", 60)
    assert other.take("b", 60)
    one.release("a")
    assert other.take("a", 60)
    now.seconds += 59.9
    assert not one.take("a", 60)
    now.seconds += 0.1
    assert one.take("a", 60)


def test_who_holds_it_holds_it_for_longer(holder: HolderFor, now: FakeTime) -> None:
    one, other = holder("one"), holder("other")
    one.take("a", 60)
    now.seconds += 50
    assert one.take("a", 60)
    now.seconds += 50
    assert not other.take("a", 60)


def test_what_is_renewed_is_held_for_longer_and_what_was_lost_is_named_by_its_lack(
    holder: HolderFor, now: FakeTime
) -> None:
    one, other = holder("one"), holder("other")
    for name in "abc":
        one.take(name, 60)
    now.seconds += 59
    assert one.renew(["a"], 60) == {"a"}
    now.seconds += 1
    assert other.take("b", 60)
    assert one.renew(["a", "b", "c", "never"], 60) == {"a", "c"}
    assert not other.take("c", 60)


def test_what_another_took_over_is_not_given_back_by_who_had_it(holder: HolderFor, now: FakeTime) -> None:
    one, other, third = holder("one"), holder("other"), holder("third")
    one.take("a", 60)
    now.seconds += 61
    other.take("a", 60)
    one.release("a")
    assert not third.take("a", 60)


def test_what_a_clock_that_was_ahead_wrote_is_free(holder: HolderFor, now: FakeTime) -> None:
    one, other = holder("one"), holder("other")
    now.seconds += 400 * 86_400
    one.take("a", 60)
    now.seconds -= 400 * 86_400
    assert other.take("a", 60)


def test_of_many_at_once_exactly_one_gets_it(holder: HolderFor) -> None:
    holders = [holder(f"worker-{number}") for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        for name in "abc":
            assert sum(pool.map(lambda one: one.take(name, 60), holders)) == 1  # noqa: B023 - called within the round
