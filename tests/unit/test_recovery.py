"""Which deliveries are asked for again: only what is missing, oldest first, and never for ever."""

import pytest
from fakes_app import FakeApp
from fakes_store import FakeInbox, FakeTime

from bot.errors import GitHubUnavailableError
from bot.events import Delivery
from bot.pipeline.intake import recovery
from bot.pipeline.intake.recovery import FIRST_WAIT, KEPT_SECONDS, LONGEST_WAIT, MOST_ASKED, MOST_TRIES, Recovery

NOW = 10_000_000.0


class Desk:
    def __init__(self) -> None:
        self.time = FakeTime(NOW)
        self.app, self.inbox = FakeApp(), FakeInbox(self.time)
        self.recovery = Recovery(self.app, self.inbox, self.time)

    def asked(self) -> list[str]:
        before = len(self.app.redelivered)
        self.recovery.look()
        return [self.app.log[identity - 1].guid for identity in self.app.redelivered[before:]]

    def arrived(self, guid: str) -> None:
        self.inbox.accept(Delivery(guid, "issues", guid.encode()))


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_what_failed_and_never_arrived_is_asked_for_oldest_first(desk: Desk) -> None:
    for number in (1, 2, 3):
        desk.app.sent(f"lost-{number}", NOW - 1000 + number, ok=False)
    assert desk.asked() == ["lost-1", "lost-2", "lost-3"]


def test_what_arrived_is_left_alone_though_its_answer_got_lost(desk: Desk) -> None:
    desk.app.sent("arrived", NOW - 1000, ok=False)
    desk.arrived("arrived")
    assert desk.asked() == []


def test_what_was_delivered_at_the_second_try_is_left_alone(desk: Desk) -> None:
    desk.arrived("first")
    desk.app.sent("twice", NOW + 10, ok=False)
    desk.app.sent("twice", NOW + 20, ok=True)
    desk.arrived("twice")
    desk.time.seconds += 1000
    assert desk.asked() == []


def test_what_a_proxy_took_and_we_never_saw_is_asked_for_once(desk: Desk) -> None:
    desk.arrived("first")
    desk.app.sent("swallowed", NOW + 10, ok=True)
    desk.time.seconds += 1000
    assert desk.asked() == ["swallowed"]
    desk.app.sent("swallowed", desk.time.seconds, ok=True)
    desk.time.seconds += 1000
    assert desk.asked() == []


def test_a_new_database_begins_nothing_of_the_past_anew(desk: Desk) -> None:
    desk.app.sent("before", NOW - 1000, ok=True)
    assert desk.asked() == []
    desk.arrived("first")
    assert desk.asked() == []


def test_events_that_nothing_is_done_for_are_not_asked_for(desk: Desk) -> None:
    desk.app.sent("star", NOW - 1000, ok=False, event="star")
    assert desk.asked() == []


def test_what_github_keeps_no_more_is_not_even_listed(desk: Desk) -> None:
    desk.app.sent("ancient", NOW - KEPT_SECONDS - 1, ok=False)
    assert desk.recovery.look().listed == 0


def test_an_attempt_that_may_be_under_way_is_waited_for_and_each_further_one_longer(desk: Desk) -> None:
    waits = []
    desk.app.sent("down", NOW, ok=False)
    for _ in range(MOST_TRIES - 1):
        began = desk.time.seconds
        while not desk.asked():
            desk.time.seconds += FIRST_WAIT / 2
        waits.append(desk.time.seconds - began)
        desk.app.sent("down", desk.time.seconds, ok=False)
    assert waits == [min(FIRST_WAIT * 2**number, LONGEST_WAIT) for number in range(MOST_TRIES - 1)]
    desk.time.seconds += 2 * LONGEST_WAIT
    assert desk.asked() == []


def test_one_look_asks_for_a_bounded_number_and_says_that_more_is_missing(desk: Desk) -> None:
    for number in range(MOST_ASKED + 5):
        desk.app.sent(f"lost-{number}", NOW - 1000 + number, ok=False)
    seen = desk.recovery.look()
    assert (seen.asked, seen.whole) == (MOST_ASKED, False)
    assert desk.app.redelivered == list(range(1, MOST_ASKED + 1))


def test_what_github_lost_meanwhile_does_not_keep_the_others(desk: Desk) -> None:
    class Forgetful(FakeApp):
        def redeliver(self, identity: int) -> None:
            super().redeliver(identity + 10 if identity == 1 else identity)

    desk.app = Forgetful()
    desk.recovery = Recovery(desk.app, desk.inbox, desk.time)
    desk.app.sent("gone", NOW - 1000, ok=False)
    desk.app.sent("lost", NOW - 900, ok=False)
    assert desk.asked() == ["lost"]


def test_a_github_that_is_down_is_said(desk: Desk) -> None:
    desk.app.failures = [GitHubUnavailableError("502", "Wait.")]
    with pytest.raises(GitHubUnavailableError):
        desk.recovery.look()
    assert recovery.MOST_LISTED > MOST_ASKED
