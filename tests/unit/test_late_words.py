"""What was said last counts, whichever delivery comes last: late and overtaken ones act on nothing that came after."""

from typing import Any

import pytest
from fakes_acts import Desk
from payloads import check_run, commented, delivery, labeled, on_pull, pull, reviewed

from bot.errors import GitHubUnavailableError
from bot.events import moment
from bot.jobs import State
from bot.moments import NEVER, Moment

NOON = 1_780_315_200.0
LABELED = labeled(issue=labeled()["issue"] | {"updated_at": "2026-06-01T12:00:09Z"})


@pytest.fixture
def desk() -> Desk:
    return Desk()


def said(desk: Desk, word: str, second: int) -> str:
    comment = {"id": 200 + second, "body": f"/regreen {word}", "created_at": f"2026-06-01T12:00:{second:02}Z"}
    return desk.receive(commented(comment=comment), "issue_comment")


@pytest.mark.parametrize(
    ("payload", "event", "seconds"),
    [
        (commented(comment={"id": 3, "body": "x", "created_at": "2026-06-01T12:00:05Z"}), "issue_comment", 5),
        (reviewed() | {"review": {"submitted_at": "2026-06-01T14:00:05+02:00"}}, "pull_request_review", 5),
        (on_pull(pull_request=pull(closed_at="2026-06-01T12:00:07Z")), "pull_request", 7),
        (LABELED, "issues", 9),
    ],
)
def test_a_moment_is_read_where_the_event_has_its_own(payload: Any, event: str, seconds: int) -> None:
    assert moment(delivery(payload, event)) == Moment(NOON + seconds, 0.0)


@pytest.mark.parametrize(
    "time", [None, 5, "", "yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00Z", "9" * 9_999]
)
def test_what_is_no_time_counts_as_none(time: object) -> None:
    assert moment(delivery(commented(comment={"created_at": time}), "issue_comment")) == NEVER


def test_buttons_and_what_is_no_payload_have_the_time_of_their_arrival_alone() -> None:
    assert moment(delivery(check_run("requested_action", "stop"), "check_run")) == NEVER
    assert moment(delivery([], "issues")) == NEVER
    assert moment(delivery(commented(comment=3), "issue_comment")) == NEVER


def test_two_moments_are_compared_by_one_clock() -> None:
    assert Moment(10, 5).is_after(Moment(9, 7))
    assert not Moment(9, 7).is_after(Moment(10, 5))
    assert Moment(0, 7).is_after(Moment(100, 5))
    assert not Moment(0, 5).is_after(Moment(1, 5))
    assert not NEVER.is_after(NEVER)
    assert not Moment(0, 5).is_after(NEVER)


def test_a_pause_that_github_put_off_changes_nothing_after_its_resume(desk: Desk) -> None:
    desk.github.failures["permission"] = [GitHubUnavailableError("503", "wait")]
    assert said(desk, "pause", 10) == "undecided"
    assert said(desk, "resume", 12) == "resumed"
    desk.inbox.now.seconds += 60
    desk.dispatcher.step()
    assert "a later pause or resume" in desk.inbox.decisions["d-1"][0]
    assert desk.around.holds.held("octo/fizz", "issue-7") == ""


def test_a_resume_that_comes_late_ends_no_pause_that_was_said_after_it(desk: Desk) -> None:
    assert said(desk, "pause", 12) == "paused"
    assert "stands" in said(desk, "resume", 10)
    assert desk.around.holds.held("octo/fizz", "issue-7") == "maintainer"
    assert len(desk.answers) == 1


def test_a_stop_that_comes_late_leaves_what_was_asked_for_after_it(desk: Desk) -> None:
    assert said(desk, "fix", 12) == "queued"
    assert said(desk, "stop", 10) == "nothing to stop"
    assert desk.states == []
    assert "came late" in desk.answers[-1]
    assert said(desk, "stop", 13).startswith("stopped")
    assert desk.states == [State.CANCELLED]


def test_a_stop_counts_though_what_it_stops_was_queued_only_after_it_was_said(desk: Desk) -> None:
    desk.inbox.now.seconds += NOON + 600
    assert said(desk, "fix", 10) == "queued"
    assert said(desk, "stop", 11).startswith("stopped")


def test_a_close_that_comes_late_leaves_the_run_of_a_newer_label(desk: Desk) -> None:
    desk.receive(LABELED)
    issue = labeled()["issue"] | {"state": "closed", "closed_at": "2026-06-01T12:00:05Z"}
    desk.github.issues.pop(7)
    assert desk.receive(labeled(action="closed", issue=issue)) == "nothing to stop"
    assert desk.states == []


def test_a_button_that_github_put_off_stops_no_run_that_began_meanwhile(desk: Desk) -> None:
    desk.github.failures["permission"] = [GitHubUnavailableError("503", "wait")]
    stop = check_run("requested_action", "stop", external_id="issue-7@x")
    assert desk.receive(stop, "check_run") == "undecided"
    desk.inbox.now.seconds += 1
    assert said(desk, "fix", 10) == "queued"
    desk.inbox.now.seconds += 60
    desk.dispatcher.step()
    assert desk.inbox.decisions["d-1"][0] == "nothing to stop"
    assert desk.states == []
