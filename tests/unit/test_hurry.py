"""A stop does not wait for its turn: the run ends at once, and in its turn it is decided as ever."""

import threading
from typing import Any

import pytest
from fakes_acts import Desk
from payloads import check_run, commented, delivery, labeled, line_commented, on_pull, reviewed

from bot.errors import GitHubUnavailableError
from bot.events import Delivery
from bot.events.glance import glance
from bot.jobs import State
from bot.pipeline.intake.dispatch import HURRY_SECONDS
from bot.pipeline.intake.stopping import AGAIN_SECONDS
from bot.pipeline.ports.github import IssueFacts


@pytest.fixture
def desk() -> Desk:
    return Desk()


def queue(desk: Desk, name: str, command: str) -> None:
    """A comment that nobody has looked at yet."""
    comment = {"id": 500 + len(desk.inbox.deliveries), "body": command, "user": {"login": "maintainer"}}
    desk.inbox.accept(delivery(commented(comment=comment), "issue_comment", name))


def late(desk: Desk) -> int:
    desk.inbox.now.seconds += HURRY_SECONDS
    return desk.dispatcher.hurry()


def test_a_stop_behind_others_ends_the_run_at_once_and_is_told_in_its_turn(desk: Desk) -> None:
    desk.label()
    for number in range(30):
        queue(desk, f"before-{number}", "/regreen status")
    queue(desk, "stop", "/regreen stop")
    assert late(desk) == 1
    assert desk.states == [State.CANCELLED]
    assert (desk.comments, "stop" in desk.inbox.decisions) == ([], False)
    assert desk.dispatcher.hurry() == 0
    while desk.dispatcher.step():
        pass
    assert desk.inbox.decisions["stop"][0].startswith("stopped: ")
    assert "**Stopped: " in desk.status
    assert desk.states == [State.CANCELLED]


def test_what_was_asked_for_before_the_stop_is_stopped_in_its_turn_too(desk: Desk) -> None:
    desk.label()
    queue(desk, "fix", "/regreen fix")
    queue(desk, "stop", "/regreen stop")
    late(desk)
    while desk.dispatcher.step():
        pass
    assert desk.states == [State.CANCELLED, State.CANCELLED]
    assert len(desk.engine.jobs) == 2
    assert "**Stopped: " in desk.status


def test_what_is_asked_for_after_the_stop_runs(desk: Desk) -> None:
    desk.label()
    queue(desk, "stop", "/regreen stop")
    queue(desk, "fix", "/regreen fix")
    late(desk)
    while desk.dispatcher.step():
        pass
    assert desk.states == [State.CANCELLED]
    assert len(desk.engine.jobs) == 2


def test_a_stop_by_somebody_who_may_not_stops_nothing(desk: Desk) -> None:
    desk.label()
    desk.github.permissions.clear()
    queue(desk, "stop", "/regreen stop")
    assert late(desk) == 1
    assert desk.states == []


def test_a_run_that_a_late_unlabel_cut_short_is_told_of_though_the_label_is_on_again_by_then(desk: Desk) -> None:
    desk.label()
    desk.github.issues[7] = IssueFacts(is_open=True, labels=())
    desk.inbox.accept(delivery(labeled(action="unlabeled"), "issues", "off"))
    late(desk)
    assert desk.states == [State.CANCELLED]
    desk.github.issues[7] = IssueFacts(is_open=True, labels=("regreen",))
    desk.dispatcher.step()
    assert "on again" in desk.inbox.decisions["off"][0]
    assert "**Stopped: " in desk.status


@pytest.mark.parametrize("fault", [GitHubUnavailableError("502", "Wait."), KeyError("a fault of ours")])
def test_a_stop_that_cannot_be_looked_at_early_is_decided_in_its_turn(desk: Desk, fault: Any) -> None:
    desk.label()
    queue(desk, "stop", "/regreen stop")
    desk.github.failures["permission"] = [fault]
    assert late(desk) == 1
    assert desk.states == []
    desk.dispatcher.step()
    assert desk.states == [State.CANCELLED]


def test_a_stop_ends_its_run_while_the_dispatcher_hangs_at_another_delivery(desk: Desk) -> None:
    desk.label()
    hung, released = threading.Event(), threading.Event()
    permission = desk.github.permission

    def hangs(login: str) -> Any:
        if threading.current_thread().name == "dispatcher":
            hung.set()
            assert released.wait(30)
        return permission(login)

    desk.github.permission = hangs  # type: ignore[method-assign]  # GitHub that does not answer one caller
    queue(desk, "status", "/regreen status")
    dispatcher = threading.Thread(target=desk.dispatcher.step, name="dispatcher")
    dispatcher.start()
    try:
        assert hung.wait(30)
        queue(desk, "stop", "/regreen stop")
        assert late(desk) == 1
        assert desk.states == [State.CANCELLED]
    finally:
        released.set()
        dispatcher.join(30)


@pytest.mark.parametrize(
    ("payload", "event", "stops"),
    [
        (labeled(action="unlabeled"), "issues", True),
        (labeled(action="closed"), "issues", True),
        (labeled(), "issues", False),
        (on_pull("closed"), "pull_request", True),
        (commented("Please\n/ReGreen  stop now"), "issue_comment", True),
        (commented("/regreen fix"), "issue_comment", False),
        (reviewed("/regreen stop"), "pull_request_review", True),
        (line_commented("/regreen stop"), "pull_request_review_comment", True),
        (check_run("requested_action", "stop"), "check_run", True),
        (check_run("requested_action", "fix"), "check_run", False),
        (check_run(), "check_run", False),
        (commented("/regreen stop"), "push", False),
        ([], "issues", False),
        ({"comment": [], "action": {}}, "issue_comment", False),
    ],
)
def test_what_may_stop_something_is_known_at_a_glance(payload: Any, event: str, *, stops: bool) -> None:
    assert glance(delivery(payload, event)).may_stop is stops


def test_a_body_that_is_no_json_stops_nothing() -> None:
    assert not glance(Delivery("d-1", "issues", b"\xff[")).may_stop


def test_the_word_about_a_run_that_was_cut_short_waits_for_its_step_that_is_under_way(desk: Desk) -> None:
    desk.label()
    desk.github.issues[7] = IssueFacts(is_open=True, labels=())
    desk.inbox.accept(delivery(labeled(action="unlabeled"), "issues", "off"))
    desk.engine.busy = 2
    late(desk)
    desk.github.issues[7] = IssueFacts(is_open=True, labels=("regreen",))
    desk.dispatcher.step()
    assert (desk.states, desk.comments) == ([State.CANCELLED], [])
    desk.inbox.now.seconds += AGAIN_SECONDS
    desk.dispatcher.step()
    assert "**Stopped: " in desk.status
