from dataclasses import replace

import pytest
from fakes_checks import FakeChecks, status, suite, workflow
from fakes_store import fix_check, fix_issue

from bot.errors import GitHubUnavailableError
from bot.pipeline.intake.settle import (
    LONGEST_WAIT,
    MOST_ALTOGETHER,
    MOST_SECONDS,
    SHORTEST_WAIT,
    GaveUp,
    RecoveredError,
    Settled,
    Wait,
    settle,
    wait,
)
from bot.pipeline.ports.checks import CommitChecks

NOW = 1000.0
RED = suite()
WORKING = [
    (CommitChecks((RED, suite(10, "in_progress"))), "a check suite of github-actions"),
    (CommitChecks((RED, suite(10, "queued"))), "a check suite of github-actions"),
    (CommitChecks((RED,), (workflow("queued", "docs"),)), "the workflow docs"),
    (CommitChecks((RED,), (workflow("pending", "docs"),)), "the workflow docs"),
    (CommitChecks((RED,), (), (status("pending"),)), "the status ci/old"),
]


@pytest.mark.parametrize(("checks", "for_what"), WORKING)
def test_a_commit_is_waited_for_while_anything_is_at_work_on_it(checks: CommitChecks, for_what: str) -> None:
    assert settle(checks, NOW) == Wait(SHORTEST_WAIT, for_what)


@pytest.mark.parametrize(
    "checks",
    [
        CommitChecks(),
        CommitChecks((RED, suite(10, conclusion="success")), (workflow("completed"),), (status("success"),)),
        CommitChecks((RED, suite(10, "queued", runs=0))),
        CommitChecks((RED,), (workflow("waiting"), workflow("action_required"))),
    ],
    ids=["nothing is known", "all ended", "an App that never runs anything", "a person has to approve"],
)
def test_a_commit_on_which_nothing_is_at_work_has_settled(checks: CommitChecks) -> None:
    assert settle(checks, NOW) == Settled()


def test_the_wait_grows_with_the_silence_and_is_bounded() -> None:
    checks = WORKING[0][0]
    waits = [settle(checks, NOW + silent) for silent in (0, 5, 60, 300, 1200)]
    assert [one.seconds for one in waits if isinstance(one, Wait)] == [SHORTEST_WAIT, SHORTEST_WAIT, 30, 150, 300]
    assert waits[-1] == Wait(LONGEST_WAIT, "a check suite of github-actions")


@pytest.mark.parametrize(("checks", "for_what"), WORKING)
def test_what_never_ends_is_given_up_after_a_bound(checks: CommitChecks, for_what: str) -> None:
    assert settle(checks, NOW + MOST_SECONDS) == GaveUp(for_what)
    news = replace(checks, statuses=(*checks.statuses, replace(status("success", "new"), updated=NOW + 600)))
    assert isinstance(settle(news, NOW + MOST_SECONDS), Wait)


def test_a_commit_on_which_something_new_begins_all_the_time_is_acted_on_in_the_end() -> None:
    def busy(seconds: float) -> CommitChecks:
        return CommitChecks((RED, replace(suite(10, "in_progress"), updated=NOW + seconds)))

    assert isinstance(settle(busy(MOST_ALTOGETHER - 60), NOW + MOST_ALTOGETHER - 1), Wait)
    assert isinstance(settle(busy(MOST_ALTOGETHER - 60), NOW + MOST_ALTOGETHER), GaveUp)


def test_waiting_for_ever_adds_up_to_no_more_than_the_bound_and_few_questions() -> None:
    seconds, asked = 0.0, 0
    while isinstance(verdict := settle(WORKING[0][0], NOW + seconds), Wait):
        seconds += verdict.seconds
        asked += 1
    assert MOST_SECONDS <= seconds <= MOST_SECONDS + LONGEST_WAIT
    assert asked < 25


def test_a_red_checks_job_is_put_off_until_its_commit_has_settled() -> None:
    job, checks = fix_check(), FakeChecks()
    checks.commits[job.head_sha] = WORKING[0][0]
    assert wait(job, checks, NOW) == SHORTEST_WAIT
    checks.commits[job.head_sha] = CommitChecks((RED, suite(10)))
    assert wait(job, checks, NOW) is None


def test_a_commit_that_ran_again_and_ended_well_needs_no_job() -> None:
    job, checks = fix_check(), FakeChecks()
    checks.commits[job.head_sha] = CommitChecks((suite(conclusion="success"),), (), (status("success"),))
    with pytest.raises(RecoveredError):
        wait(job, checks, NOW)
    assert wait(replace(job, asked=True), checks, NOW) is None
    checks.commits[job.head_sha] = CommitChecks()
    assert wait(job, checks, NOW) is None


def test_a_person_who_asks_is_not_made_to_wait_and_other_jobs_never_are() -> None:
    checks = FakeChecks(failure=GitHubUnavailableError("502", "Wait."))
    assert wait(replace(fix_check(), asked=True), checks, NOW) is None
    assert wait(fix_issue(), checks, NOW) is None
    with pytest.raises(GitHubUnavailableError):
        wait(fix_check(), checks, NOW)
