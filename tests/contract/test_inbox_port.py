"""What every inbox does, whichever store it is in."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes_store import FakeInbox, FakeTime

from bot.adapters.store import SqlInbox, connect, migrate
from bot.events import Delivery
from bot.pipeline.ports.store import LONGEST_DELAY, Inbox


def sql_inbox(directory: Path, now: FakeTime) -> Iterator[Inbox]:
    url = f"sqlite:///{directory / 'regreen.sqlite'}"
    migrate(url)
    engine = connect(url)
    yield SqlInbox(engine, now)
    engine.dispose()


def fake_inbox(_directory: Path, now: FakeTime) -> Iterator[Inbox]:
    yield FakeInbox(now)


@pytest.fixture
def now() -> FakeTime:
    return FakeTime()


@pytest.fixture(params=[sql_inbox, fake_inbox])
def inbox(request: pytest.FixtureRequest, tmp_path: Path, now: FakeTime) -> Iterator[Inbox]:
    make: Callable[[Path, FakeTime], Iterator[Inbox]] = request.param
    yield from make(tmp_path, now)


def delivery(name: str, body: bytes = b"") -> Delivery:
    return Delivery(name, "issues", body or name.encode())


def names(inbox: Inbox, limit: int = 10) -> list[str]:
    return [found.delivery_id for found in inbox.pending(limit)]


def test_a_delivery_is_accepted_once(inbox: Inbox) -> None:
    assert [inbox.accept(delivery("a")), inbox.accept(delivery("a", b"other"))] == [True, False]
    assert inbox.pending(10) == (delivery("a"),)


def test_a_body_counts_once_whatever_id_it_comes_under_and_however_late(inbox: Inbox, now: FakeTime) -> None:
    assert inbox.accept(delivery("a", b"signed"))
    inbox.decide("a", "queued", "job")
    now.seconds += 400 * 86_400
    assert [inbox.accept(delivery(name, b"signed")) for name in ("b", "c")] == [False, False]
    assert names(inbox) == []
    assert inbox.accept(delivery("d", b"signed a second later"))


@pytest.mark.parametrize("action", ["requested_action", "rerequested"])
def test_a_button_that_is_pressed_again_counts_again_after_ten_minutes(
    inbox: Inbox, now: FakeTime, action: str
) -> None:
    body = f'{{"action": "{action}"}}'.encode()
    found = []
    for name, pause in (("a", 0), ("b", 599), ("c", 2), ("d", 590), ("c", 601)):
        now.seconds += pause
        found.append(inbox.accept(Delivery(name, "check_run", body)))
    assert found == [True, False, True, False, False]
    assert names(inbox) == ["a", "c"]


def test_nothing_else_of_a_check_run_counts_twice(inbox: Inbox, now: FakeTime) -> None:
    for body in (b'{"action": "completed"}', b"[", b"\xff", b'{"action": ["requested_action"]}'):
        assert inbox.accept(Delivery(f"1 {body!r}", "check_run", body))
        now.seconds += 86_400
        assert not inbox.accept(Delivery(f"2 {body!r}", "check_run", body))


def test_a_body_under_another_event_takes_nothing_away_from_the_real_one(inbox: Inbox) -> None:
    assert inbox.accept(Delivery("forged", "check_suite", b"signed"))
    assert inbox.accept(Delivery("real", "issues", b"signed"))


def test_pending_deliveries_come_oldest_first_and_at_most_so_many(inbox: Inbox) -> None:
    for name in ("c", "a", "b"):
        inbox.accept(delivery(name))
    assert names(inbox) == ["c", "a", "b"]
    assert names(inbox, 2) == ["c", "a"]


def test_bytes_come_back_as_they_were(inbox: Inbox) -> None:
    body = bytes(range(256)) * 10
    inbox.accept(delivery("a", body))
    assert inbox.pending(1)[0].body == body


def test_a_decided_delivery_is_pending_no_more_and_stays_known(inbox: Inbox) -> None:
    inbox.accept(delivery("a"))
    inbox.decide("a", "another label", None)
    assert names(inbox) == []
    assert not inbox.accept(delivery("a"))


def test_a_postponed_delivery_comes_back_when_its_time_has_come_and_keeps_its_place(
    inbox: Inbox, now: FakeTime
) -> None:
    inbox.accept(delivery("a"))
    inbox.accept(delivery("b"))
    inbox.postpone("a", "GitHub is down", 5.0)
    assert names(inbox) == ["b"]
    now.seconds += 4.9
    assert names(inbox) == ["b"]
    now.seconds += 0.1
    assert names(inbox) == ["a", "b"]


def test_what_a_clock_that_was_ahead_put_off_is_pending(inbox: Inbox, now: FakeTime) -> None:
    inbox.accept(delivery("a"))
    now.seconds += 400 * 86_400
    inbox.accept(delivery("b"))
    inbox.postpone("a", "GitHub is down", 10.0 * LONGEST_DELAY)
    assert names(inbox) == ["b"]
    now.seconds -= 400 * 86_400
    assert names(inbox) == ["a", "b"]


def test_what_may_stop_something_is_found_behind_all_that_waits_also_when_it_was_put_off(
    inbox: Inbox, now: FakeTime
) -> None:
    stops = [Delivery(name, "issues", f'{{"action": "closed", "n": "{name}"}}'.encode()) for name in "abcd"]
    for one in (*map(delivery, "xyz"), *stops):
        inbox.accept(one)
    assert inbox.urgent(9, 2.0) == ()
    now.seconds += 2.0
    inbox.decide("a", "nothing to stop", None)
    inbox.postpone("b", "GitHub is down", 60.0)
    inbox.hurried("c")
    assert [found.delivery_id for found in inbox.urgent(9, 2.0)] == ["b", "d"]
    assert [found.delivery_id for found in inbox.urgent(1, 2.0)] == ["b"]
    assert names(inbox) == ["x", "y", "z", "c", "d"]


def test_a_decided_delivery_cannot_be_postponed_back_into_the_queue(inbox: Inbox, now: FakeTime) -> None:
    inbox.accept(delivery("a"))
    inbox.decide("a", "queued", "job")
    inbox.postpone("a", "late", 1.0)
    now.seconds += 2
    assert names(inbox) == []


def test_an_unknown_delivery_is_neither_decided_nor_postponed_into_being(inbox: Inbox) -> None:
    inbox.decide("ghost", "queued", None)
    inbox.postpone("phantom", "late", 0.0)
    assert names(inbox) == []


def test_of_many_at_once_with_one_id_exactly_one_is_accepted(inbox: Inbox) -> None:
    with ThreadPoolExecutor(8) as pool:
        accepted = list(pool.map(lambda _: inbox.accept(delivery("a")), range(24)))
    assert sum(accepted) == 1


def test_tells_which_deliveries_never_arrived_and_since_when_it_knows(inbox: Inbox, now: FakeTime) -> None:
    assert inbox.since() is None
    known = tuple(f"d-{number}" for number in range(1_200))
    assert inbox.unseen(known) == frozenset(known)
    inbox.accept(delivery("d-7"))
    began = now.seconds
    now.seconds += 5
    inbox.accept(delivery("d-1100"))
    inbox.decide("d-7", "another label", None)
    assert inbox.unseen(known) == frozenset(known) - {"d-7", "d-1100"}
    assert inbox.since() == began
