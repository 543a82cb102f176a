"""The label on a subject follows its job, and never gets in its way."""

from dataclasses import replace

import pytest
from fakes_fix import FIFTY, Stage, failed, passed

from bot.errors import ForbiddenError
from bot.jobs import FixCheck, FollowUp, State
from bot.pipeline.ports.github import IssueFacts
from bot.pipeline.reports.labels import Label, bearer


def test_a_published_fix_goes_from_working_to_needs_review() -> None:
    stage = Stage()
    stage.run()
    assert stage.labels.shown == [Label.WORKING, Label.NEEDS_REVIEW]


def test_a_run_without_a_fix_is_shown_as_failed() -> None:
    stage = Stage(suite=lambda _files: {FIFTY: failed()})
    stage.run()
    assert stage.labels.borne[7] == {Label.FAILED}


def test_a_green_suite_leaves_no_label() -> None:
    stage = Stage(suite=lambda _files: {FIFTY: passed()})
    stage.run()
    assert stage.labels.shown == [Label.WORKING, None]


def test_what_is_refused_keeps_the_label_that_it_had() -> None:
    stage = Stage()
    stage.run()
    assert stage.run(replace(stage.issue, delivery_id="d9")).state is State.REFUSED
    assert stage.labels.borne[7] == {Label.NEEDS_REVIEW}
    closed = Stage()
    closed.github.issues[7] = IssueFacts(is_open=False, labels=())
    closed.run()
    assert closed.labels.shown == []


def test_a_github_that_lets_nobody_label_takes_no_fix_away() -> None:
    stage = Stage()
    stage.labels.error = ForbiddenError("no", "grant it")
    assert stage.run().state is State.PUBLISHED


@pytest.mark.parametrize(
    ("job", "number"),
    [
        (FixCheck("d", 5, "o/r", "main", "c0ffee", 9, "mona"), 0),
        (FixCheck("d", 5, "o/r", "topic", "c0ffee", 9, "mona", pull_request=12), 12),
        (FollowUp("d", 5, "o/r", 8, "issue-7", "regreen/issue-7", 1, "mona", "rename it"), 8),
    ],
)
def test_a_branch_bears_no_label_and_a_pull_request_bears_its_own(job: FixCheck | FollowUp, number: int) -> None:
    assert bearer(job) == number
