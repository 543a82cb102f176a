"""What every store of operators' wishes does, whichever it is in."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes_store import FakeTime
from fakes_wishes import FakeWishes

from bot.adapters.store import SqlWishes, connect, migrate
from bot.pipeline.ports.store import Asked, Wish, Wishes


@pytest.fixture(params=["fake", "sqlite", "postgres"])
def wishes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Wishes]:
    if request.param == "fake":
        yield FakeWishes(FakeTime())
        return
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'regreen.sqlite'}" if sqlite else request.getfixturevalue("postgres")
    migrate(url)
    engine = connect(url)
    yield SqlWishes(engine, FakeTime())
    engine.dispose()


def test_a_wish_is_open_until_it_is_done_and_then_says_what_came_of_it(wishes: Wishes) -> None:
    number = wishes.ask("octo/fizz:issue-7:d-1", Asked.CANCEL, "an operator", 900.0)
    asked = Wish(number, "octo/fizz:issue-7:d-1", Asked.CANCEL, "an operator", 900.0)
    assert wishes.open(9) == (asked,)
    assert wishes.wish(number) == asked
    wishes.done(number, "stopped")
    wishes.done(number, "something else")
    assert wishes.open(9) == ()
    assert wishes.wish(number) == Wish(number, asked.identity, asked.what, asked.by, asked.at, 1_000.0, "stopped")
    assert [wishes.wish(none) for none in (number + 1, 2**63, 0)] == [None] * 3


def test_the_same_wish_is_one_while_it_is_open_and_another_afterwards(wishes: Wishes) -> None:
    first = wishes.ask("one", Asked.RETRY, "a page", 900.0)
    assert wishes.ask("one", Asked.RETRY, "a shell", 901.0) == first
    others = wishes.ask("one", Asked.CANCEL, "a page", 902.0), wishes.ask("two", Asked.RETRY, "a page", 903.0)
    assert len({first, *others}) == 3
    assert [wish.number for wish in wishes.open(9)] == [first, *others]
    assert [wish.number for wish in wishes.open(2)] == [first, others[0]]
    wishes.done(first, "queued")
    assert wishes.ask("one", Asked.RETRY, "a page", 904.0) not in {first, *others}


def test_of_many_who_ask_for_the_same_at_once_one_does(wishes: Wishes) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: wishes.ask("one", Asked.CANCEL, "a page", 900.0), range(24)))
    assert len(found) == len(wishes.open(99)) == 1


def test_what_no_database_takes_is_made_storable(wishes: Wishes) -> None:
    number = wishes.ask("one\0\ud800", Asked.CANCEL, "a\0page", 900.0)
    wishes.done(number, "said\0")
    assert wishes.wish(number) is not None
