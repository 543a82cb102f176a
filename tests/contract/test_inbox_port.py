"""What every inbox does, whichever store it is in."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes_store import FakeInbox, FakeTime

from bot.adapters.store import SqlInbox, connect, migrate
from bot.events import Delivery
from bot.pipeline.ports.store import LONGEST_DELAY, Inbox


@pytest.fixture
def now() -> FakeTime:
    return FakeTime()


@pytest.fixture(params=["fake", "sqlite", "postgres"])
def inbox(request: pytest.FixtureRequest, tmp_path: Path, now: FakeTime) -> Iterator[Inbox]:
    if request.param == "fake":
        yield FakeInbox(now)
        return
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'regreen.sqlite'}" if sqlite else request.getfixturevalue("postgres")
    migrate(url)
    engine = connect(url)
    yield SqlInbox(engine, now)
    engine.dispose()


def delivery(name: str, body: bytes = b"") -> Delivery:
    return Delivery(name, "issues", body or name.encode())


def names(inbox: Inbox, limit: int = 10, lane: str | None = None) -> list[str]:
    return [found.delivery_id for found in inbox.pending(limit, lane)]


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


def test_what_may_stop_something_is_found_behind_all_that_waits_also_when_it_was_put_off_and_given_out_once(
    inbox: Inbox, now: FakeTime
) -> None:
    stops = [Delivery(name, "issues", f'{{"action": "closed", "n": "{name}"}}'.encode()) for name in "abcd"]
    for one in (*map(delivery, "xyz"), *stops):
        inbox.accept(one)
    assert inbox.urgent(9, 2.0) == ()
    now.seconds += 2.0
    inbox.decide("a", "nothing to stop", None)
    inbox.postpone("b", "GitHub is down", 60.0)
    assert [found.delivery_id for found in inbox.urgent(1, 2.0)] == ["b"]
    assert [found.delivery_id for found in inbox.urgent(9, 2.0)] == ["c", "d"]
    assert inbox.urgent(9, 2.0) == ()
    assert names(inbox) == ["x", "y", "z", "c", "d"]


def test_lanes_come_in_the_order_of_what_is_due_in_them_and_each_shows_its_own(inbox: Inbox, now: FakeTime) -> None:
    for name, lane in {"a": "o/one", "b": "o/Two", "c": "O/one", "d": "o/three"}.items():
        inbox.accept(delivery(name, f'{{"repository": {{"full_name": "{lane}"}}, "n": "{name}"}}'.encode()))
    assert inbox.lanes(9) == ("o/one", "o/two", "o/three")
    assert inbox.lanes(2) == ("o/one", "o/two")
    assert names(inbox, lane="o/one") == ["a", "c"]
    inbox.postpone("a", "GitHub is down", 5.0)
    assert inbox.lanes(9) == ("o/two", "o/one", "o/three")
    inbox.decide("b", "another label", None)
    inbox.decide("c", "another label", None)
    assert inbox.lanes(9) == ("o/three",)
    now.seconds += 5
    assert inbox.lanes(9) == ("o/one", "o/three")


def test_what_is_of_no_repository_has_the_lane_of_its_installation_or_the_one_without_a_name(inbox: Inbox) -> None:
    inbox.accept(delivery("a", b'{"installation": {"id": 7}}'))
    inbox.accept(delivery("b", b"[]"))
    assert inbox.lanes(9) == ("installation 7", "")
    assert names(inbox, lane="") == ["b"]


def test_each_further_wait_is_twice_as_long_up_to_a_limit(inbox: Inbox, now: FakeTime) -> None:
    inbox.accept(delivery("a"))
    waits = []
    for _ in range(30):
        inbox.postpone("a", "GitHub is down", 5.0, 35.0)
        began = now.seconds
        while not names(inbox):
            now.seconds += 1.0
        waits.append(now.seconds - began)
    assert waits[:4] == [5.0, 10.0, 20.0, 35.0]
    assert set(waits[4:]) == {35.0}


def test_which_runs_a_delivery_cut_short_is_kept_until_it_is_decided(inbox: Inbox) -> None:
    inbox.accept(delivery("a"))
    assert inbox.cut("a") == inbox.cut("unknown") == ()
    assert inbox.note_cut("a", ("o/r:issue-7:d-1", "é"))
    assert inbox.cut("a") == ("o/r:issue-7:d-1", "é")
    inbox.decide("a", "stopped", None)
    assert not inbox.note_cut("a", ("late",))


def test_the_oldest_undecided_delivery_that_awaits_a_job_is_known(inbox: Inbox) -> None:
    for name in "abc":
        inbox.accept(delivery(name))
    assert inbox.awaiting("job") == ""
    for name in "cb":
        inbox.postpone(name, "checks are at work", 5.0, awaits="job")
    assert inbox.awaiting("job") == "b"
    inbox.postpone("b", "GitHub is down", 5.0)
    assert inbox.awaiting("job") == "c"
    inbox.decide("c", "queued", "job")
    assert inbox.awaiting("job") == ""


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
