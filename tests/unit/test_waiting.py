"""A test that waits for a person's word is shown again by every later run that overwrites its comment."""

from dataclasses import replace

import pytest
from fakes_desk import FakePulls
from fakes_fix import Stage
from fakes_labels import FakeLabels
from fakes_store import approval, fix_check, fix_issue

from bot.errors import GitHubUnavailableError, SetUpError
from bot.jobs import JobOutcome, State
from bot.pipeline.abandon import abandon
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.github import NewPullRequest
from bot.pipeline.ports.job import Unkept
from bot.pipeline.reports.waiting import still_waiting
from bot.repair.reproduction.written import WrittenTest

TEST = WrittenTest("tests/test_issue_7.py", b"def test_x():\n    assert 1 == 2\n", "AssertionError: assert 1 == 2", "m")
APPROVE = f"/regreen approve {TEST.short}"


@pytest.fixture
def stage() -> Stage:
    stage = Stage()
    stage.reviews.keep(TEST)
    return stage


def waits(stage: Stage, state: State, *, approves: bool = False) -> bool:
    job = approval() if approves else fix_issue()
    return APPROVE in still_waiting(job, JobOutcome(state, ""), stage.github, stage.reviews)


def test_it_outlives_a_run_that_the_label_began_and_that_failed(stage: Stage) -> None:
    stage.environments.error = SetUpError("It does not install", "Look.")  # type: ignore[attr-defined]  # the stage's
    assert stage.run().state is State.FAILED
    assert APPROVE in stage.comment


def test_it_outlives_a_run_that_is_refused(stage: Stage) -> None:
    stage.github.issues[7] = replace(stage.github.issues[7], is_open=False)
    assert stage.run().state is State.REFUSED
    assert APPROVE in stage.comment


def test_it_outlives_a_run_that_is_given_up(stage: Stage) -> None:
    abandon(stage.issue, Site("o/r", stage.github, FakeLabels(), FakePulls()), stage.reviews, Unkept(), 3)
    assert APPROVE in stage.comment


@pytest.mark.parametrize(
    ("state", "of_another", "of_its_own"),
    [
        (State.CANCELLED, True, True),
        (State.NOT_REPRODUCED, True, True),
        (State.GREEN, True, False),
        (State.UNSOLVED, True, False),
        (State.TEST_SHOWN, False, False),
        (State.PUBLISHED, False, False),
    ],
)
def test_it_is_shown_by_ends_that_did_nothing_with_it(
    stage: Stage, state: State, *, of_another: bool, of_its_own: bool
) -> None:
    assert waits(stage, state) is of_another
    assert waits(stage, state, approves=True) is of_its_own


def test_once_a_pull_request_is_open_nothing_waits(stage: Stage) -> None:
    mark = "<!-- regreen:subject=issue-7 -->"
    stage.github.open_pull_request(NewPullRequest("main", "main", "Fix", mark, draft=False), mark)
    assert not waits(stage, State.REFUSED)


def test_a_red_check_shows_none(stage: Stage) -> None:
    assert still_waiting(fix_check(), JobOutcome(State.FAILED, ""), stage.github, stage.reviews) == ""


def test_a_github_that_is_down_takes_no_outcome_away(stage: Stage) -> None:
    stage.github.failures["pull_requests"] = [GitHubUnavailableError("502", "Wait.")]
    assert not waits(stage, State.FAILED)
