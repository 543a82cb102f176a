"""What is done at once: stops, answers and pauses; each again and in any order."""

from dataclasses import replace
from typing import Any

import pytest
from fakes_acts import Desk
from payloads import labeled, on_pull

from bot.errors import ForbiddenError, GitHubUnavailableError
from bot.jobs import JobOutcome, State
from bot.pipeline.intake.dispatch import FIRST_DELAY
from bot.pipeline.intake.stopping import AGAIN_SECONDS
from bot.pipeline.ports.github import IssueFacts
from bot.repair.reproduction.written import WrittenTest
from sandbox.spec import File

GREEN = JobOutcome(State.GREEN, "Nothing to fix", tokens=1_200, dollars=0.25)
TEST = WrittenTest("tests/test_issue_7.py", b"def test_x(): ...\n", "AssertionError: x", "m")


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize("end", [Desk.unlabel, Desk.close], ids=["unlabelled", "closed"])
def test_taking_the_label_off_or_closing_stops_the_run_and_says_so(desk: Desk, end: Any) -> None:
    assert desk.label() == "queued"
    assert end(desk).startswith("stopped: ")
    assert desk.states == [State.CANCELLED]
    assert "**Stopped: " in desk.status
    assert desk.around.labels.shown == [None]
    assert desk.answers == []


def test_stop_is_answered_beside_the_status(desk: Desk) -> None:
    desk.label()
    assert desk.say("/regreen stop").startswith("stopped: ")
    assert "**Stopped: " in desk.status
    assert len(desk.answers) == 1
    assert desk.states == [State.CANCELLED]


def test_stop_where_nothing_runs_says_that(desk: Desk) -> None:
    assert desk.say("/regreen stop") == "nothing to stop"
    assert ["Nothing about this" in answer for answer in desk.answers] == [True]


def test_a_run_that_ended_is_not_stopped_any_more(desk: Desk) -> None:
    desk.label()
    desk.runs.ended("octo/fizz:issue-7:d-1", GREEN)
    assert desk.unlabel() == "nothing to stop"
    assert desk.comments == []
    assert desk.states == [State.GREEN]


def test_an_unlabel_that_is_delivered_before_its_label_leaves_nothing_running(desk: Desk) -> None:
    assert desk.unlabel() == "nothing to stop"
    assert "taken off" in desk.receive(labeled())
    assert desk.runs.jobs == {}
    assert desk.comments == []


def test_a_close_that_is_delivered_before_its_label_leaves_nothing_running(desk: Desk) -> None:
    assert desk.close() == "nothing to stop"
    assert "closed" in desk.receive(labeled())
    assert desk.runs.jobs == {}


def test_an_unlabel_that_comes_late_stops_nothing_once_the_label_is_on_again(desk: Desk) -> None:
    desk.label()
    assert "on again" in desk.receive(labeled(action="unlabeled"))
    assert desk.states == []


def test_a_close_that_comes_late_stops_nothing_once_the_issue_is_open_again(desk: Desk) -> None:
    desk.label()
    issue = labeled()["issue"] | {"state": "closed"}
    assert "open again" in desk.receive(labeled(action="closed", issue=issue))
    assert desk.states == []


def test_the_end_of_our_pull_request_stops_what_works_on_its_subject(desk: Desk) -> None:
    desk.label()
    desk.github.issues[12] = IssueFacts(is_open=False, labels=())
    pull = on_pull("closed")
    pull["pull_request"] |= {"state": "closed"}
    assert desk.receive(pull, "pull_request").startswith("stopped: ")
    assert desk.states == [State.CANCELLED]


@pytest.mark.parametrize("number", [12, 13])
def test_the_end_of_our_pull_request_is_noted_whatever_works_or_not(desk: Desk, number: int) -> None:
    desk.label()
    (identity,) = desk.runs.open()
    desk.runs.ended(identity, JobOutcome(State.PUBLISHED, "Opened #12", pull_request=12))
    assert desk.runs.in_the_way(identity) == 12
    pull = on_pull("closed")
    pull["pull_request"] |= {"state": "closed", "number": number}
    desk.github.issues[number] = IssueFacts(is_open=False, labels=())
    assert desk.receive(pull, "pull_request") == "nothing to stop"
    assert desk.runs.in_the_way(identity) == (None if number == 12 else 12)


def test_the_last_word_waits_for_the_step_that_is_under_way(desk: Desk) -> None:
    desk.label()
    desk.engine.busy = 2
    assert desk.unlabel() == "undecided"
    assert desk.comments == []
    assert desk.inbox.postponed["d-2"] == [("a step of the run is still under way", AGAIN_SECONDS)]
    for _ in range(2):
        desk.inbox.now.seconds += AGAIN_SECONDS
        desk.dispatcher.step()
    assert "**Stopped: " in desk.status
    assert desk.states == [State.CANCELLED]


def test_a_stop_that_could_not_be_told_is_told_when_github_is_back(desk: Desk) -> None:
    desk.label()
    desk.github.failures["put_comment"] = [GitHubUnavailableError("502", "Wait.")]
    assert desk.unlabel() == "undecided"
    assert desk.states == [State.CANCELLED]
    desk.inbox.now.seconds += FIRST_DELAY
    desk.dispatcher.step()
    assert "**Stopped: " in desk.status
    assert desk.inbox.decisions["d-2"][0].startswith("stopped: ")


def test_a_stop_shows_the_test_that_still_waits_for_a_word(desk: Desk) -> None:
    desk.around.reviews.keep(TEST)
    desk.label()
    desk.unlabel()
    assert f"/regreen approve {TEST.short}" in desk.status


def test_after_a_stop_the_label_begins_anew(desk: Desk) -> None:
    desk.label()
    desk.unlabel()
    assert desk.label() == "queued"
    assert len(desk.engine.jobs) == 2


def test_status_tells_of_what_runs_and_of_what_it_took(desk: Desk) -> None:
    assert desk.say("/regreen status") == "answered: status"
    desk.label()
    desk.say("/regreen status")
    desk.runs.ended("octo/fizz:issue-7:d-2", GREEN)
    desk.say("/regreen status")
    none, running, ended = desk.answers
    assert "No run" in none
    assert "queued or works" in running
    assert "Nothing to fix" in ended
    assert "1,200 tokens, 0.2500 dollars" in ended


def test_explain_says_why_the_last_run_ended_so(desk: Desk) -> None:
    desk.label()
    desk.runs.ended("octo/fizz:issue-7:d-1", replace(GREEN, state=State.UNSOLVED, stop="stuck"))
    desk.say("/regreen explain")
    (answer,) = desk.answers
    assert "`stuck`" in answer
    assert "turned down" in answer


def test_a_command_that_arrives_twice_is_answered_once(desk: Desk) -> None:
    for _ in range(3):
        desk.say("/regreen status", comment_id=5)
    assert len(desk.answers) == 1


def test_what_is_no_command_of_ours_is_answered_with_those_that_are(desk: Desk) -> None:
    assert desk.say("/regreen please") == "answered: help"
    assert "/regreen stop" in desk.answers[0]


def test_while_paused_nothing_starts_and_who_asks_is_told(desk: Desk) -> None:
    assert desk.say("/regreen pause") == "paused"
    assert "paused" in desk.label()
    assert desk.say("/regreen fix") == "answered: paused"
    assert desk.engine.jobs == {}
    assert desk.say("/regreen resume") == "resumed"
    assert desk.label() == "queued"
    assert ["Paused" in answer for answer in desk.answers] == [True, True, False]


def test_a_second_request_while_a_run_works_is_answered_and_not_queued(desk: Desk) -> None:
    desk.label()
    assert "works already" in desk.label()
    assert desk.answers == []
    assert "works already" in desk.say("/regreen fix")
    assert ["queued or works already" in answer for answer in desk.answers] == [True]
    assert len(desk.engine.jobs) == 1


def test_nothing_is_written_in_a_dry_run(desk: Desk) -> None:
    desk.github.add_commit("main", "policy", {".github/regreen.yml": File(b"dry_run: true\n")})
    desk.label()
    desk.say("/regreen status")
    desk.unlabel()
    assert desk.states == [State.CANCELLED]
    assert desk.comments == []
    assert desk.around.labels.shown == []


def test_an_answer_that_github_refuses_is_none_and_is_not_tried_for_ever(desk: Desk) -> None:
    desk.github.failures["put_comment"] = [ForbiddenError("No access", "Grant it.")]
    assert desk.say("/regreen status") == "answered: status"
