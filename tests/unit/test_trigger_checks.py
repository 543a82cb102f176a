"""What red checks lead to, by branch and pull request, and what the buttons on the App's own check runs do."""

from dataclasses import replace
from typing import Any

import pytest
from deciding import PULL, WRITER, decided, event
from payloads import SHA, check_run, listed, person, status, suite, workflow_run

from bot.acts import Cancel, CheckPolicy
from bot.jobs import FixCheck, FollowUp, job_id, subject
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Known, Needs, needs
from bot.triggers.branches import matches

STACK = RepoPolicy(ci_pull_requests="stack")
OTHERS = replace(PULL, number=9, author="alice", mark="", head_branch="topic")
ON_TOPIC = suite(head_branch="topic", pull_requests=[listed(9)])
ON_OURS = suite(head_branch="regreen/issue-7", pull_requests=[listed(12)])


def red(payload: dict[str, Any], known: Known = WRITER, name: str = "check_suite") -> Any:
    return decided(event(payload, name), known)


def ignored(found: Any) -> str:
    assert isinstance(found, Ignore), found
    return found.reason


@pytest.mark.parametrize("conclusion", ["failure", "timed_out", "startup_failure"])
def test_a_red_suite_on_the_default_branch_starts_a_fix_whoever_caused_it(conclusion: str) -> None:
    found = red(suite(conclusion=conclusion) | {"sender": person("web-flow")}, Known())
    assert found == FixCheck("d-1", 99, "octo/fizz", "main", SHA, 5, "web-flow", 1)


def test_all_that_github_says_of_one_suite_is_one_job() -> None:
    told = (
        red(suite()),
        red(check_run(app={"id": 15368}), name="check_run"),
        red(workflow_run(), name="workflow_run"),
    )
    assert {job_id(job) for job in told} == {f"octo/fizz:check-main:{SHA}"}
    by_status = red(status(), name="status")
    assert (by_status.suite_id, subject(by_status)) == (0, "check-main")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"conclusion": "success"}, "did not fail"),
        ({"conclusion": "cancelled"}, "did not fail"),
        ({"conclusion": None}, "did not fail"),
        ({"head_branch": "feature"}, "does not name the branch"),
        ({"head_branch": None}, "no branch of this repository"),
        ({"app": {"id": 42}}, "own"),
        ({"head_branch": "regreen/issue-7"}, "the App's own"),
        ({"head_branch": "gh-readonly-queue/main/pr-9-0123"}, "merge queue"),
    ],
)
def test_a_suite_that_starts_nothing_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in ignored(red(suite(**changes)))


def test_a_forks_run_starts_nothing_though_its_branch_has_the_default_ones_name() -> None:
    found = red(workflow_run(head_repository={"id": 2}), name="workflow_run")
    assert "no branch of this repository" in ignored(found)


def test_the_policy_switches_everything_or_red_checks_off_and_ignores_authors() -> None:
    assert "switches the bot off" in ignored(red(suite(), Known(RepoPolicy(enabled=False))))
    assert "red checks off" in ignored(red(suite(), Known(RepoPolicy(ci=False))))
    assert "ignore" in ignored(red(suite(), Known(RepoPolicy(ignored_authors=("maintainer",)))))


def test_the_policy_names_the_branches() -> None:
    policy = RepoPolicy(branches=("release/*", "main"))
    assert red(suite(head_branch="release/1"), Known(policy)).branch == "release/1"
    assert red(suite(), Known(policy)).branch == "main"
    assert "does not name" in ignored(red(suite(head_branch="release/1/x"), Known(policy)))
    assert "does not name" in ignored(red(suite(), Known(RepoPolicy(branches=("dev",)))))
    both = status(branches=("topic", "release/1"))
    assert red(both, Known(policy), "status").branch == "release/1"


@pytest.mark.parametrize(
    ("glob", "branch", "does"),
    [
        ("main", "main", True),
        ("main", "feature/main", False),
        ("main", "main/x", False),
        ("*", "main", True),
        ("*", "a/b", False),
        ("**", "a/b/c", True),
        ("release/**", "release/1/2", True),
        ("release/**", "releases", False),
        ("**/hot-*", "a/b/hot-fix", True),
        ("v[0-9]*", "v2", True),
        ("!main", "main", False),
    ],
)
def test_a_glob_means_whole_branch_names(glob: str, branch: str, does: bool) -> None:  # noqa: FBT001
    assert matches(glob, branch) is does


def test_a_red_pull_request_is_worked_on_only_where_the_policy_says_so() -> None:
    assert needs(event(ON_TOPIC, "check_suite"), RepoPolicy()) == Needs()
    assert "switches red checks of pull requests off" in ignored(red(ON_TOPIC, Known(pull=OTHERS)))
    assert needs(event(ON_TOPIC, "check_suite"), STACK) == Needs(pull=9)
    found = red(ON_TOPIC, Known(STACK, pull=OTHERS))
    assert found == FixCheck("d-1", 99, "octo/fizz", "topic", SHA, 5, "maintainer", 1, pull_request=9)
    assert subject(found) == "pull-9"


def test_where_github_names_no_pull_request_it_is_asked_for_by_its_branch() -> None:
    assert needs(event(status(branches=("topic",)), "status"), STACK) == Needs(branch="topic")
    assert "no pull request is known" in ignored(red(status(branches=("topic",)), Known(STACK), "status"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"is_fork": True}, "fork"), ({"is_open": False}, "closed"), ({"head_sha": "b" * 40}, "moved on")],
)
def test_a_red_pull_request_that_starts_nothing_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in ignored(red(ON_TOPIC, Known(STACK, pull=replace(OTHERS, **changes))))


def test_red_on_our_own_branch_is_the_next_attempt_of_its_own_subject() -> None:
    for policy in (RepoPolicy(), STACK, RepoPolicy(branches=("**",))):
        assert needs(event(ON_OURS, "check_suite"), policy) == Needs(branch="regreen/issue-7")
        found = red(ON_OURS | {"sender": person("regreen[bot]")}, Known(policy, pull=PULL))
        assert (subject(found), found.pull_request, found.branch) == ("issue-7", 12, "regreen/issue-7")
        assert "the App's own" in ignored(red(ON_OURS, Known(policy)))


def test_the_button_on_a_red_branchs_check_run_asks_for_another_try() -> None:
    pressed = check_run("requested_action", "fix")
    assert needs(event(pressed, "check_run"), RepoPolicy()) == Needs("maintainer")
    found = red(pressed, name="check_run")
    assert found == FixCheck("d-1", 99, "octo/fizz", "main", SHA, 0, "maintainer", 1, asked=True)
    assert red(check_run("rerequested"), name="check_run") == found
    assert red(suite(app={"id": 42}) | {"action": "rerequested"}) == found


def test_the_button_on_our_pull_requests_check_run_asks_for_a_follow_up() -> None:
    pressed = check_run("requested_action", "fix", external_id=f"issue-7@{SHA}", pull_requests=[listed()])
    assert needs(event(pressed, "check_run"), RepoPolicy()) == Needs("maintainer", pull=12)
    found = red(pressed, Known(may_write=True, pull=PULL), "check_run")
    assert (type(found), found.about, found.asked) == (FollowUp, "issue-7", True)
    assert "no pull request is known" in ignored(red(pressed, name="check_run"))


def test_a_branch_that_is_some_pull_requests_head_too_is_still_a_branch() -> None:
    pressed = check_run("requested_action", "fix", pull_requests=[listed(9)])
    found = red(pressed, Known(may_write=True, pull=OTHERS), "check_run")
    assert (found.branch, found.pull_request) == ("main", 0)


def test_the_button_for_a_persons_pull_request_asks_for_it() -> None:
    pressed = check_run("rerequested", external_id=f"pull-9@{SHA}", check_suite={"id": 5, "head_branch": None})
    assert needs(event(pressed, "check_run"), RepoPolicy()) == Needs("maintainer", pull=9)
    found = red(pressed, Known(may_write=True, pull=replace(OTHERS, is_fork=True)), "check_run")
    assert (subject(found), found.branch, found.asked) == ("pull-9", "topic", True)


def test_a_re_run_of_the_policys_check_looks_at_the_policy_again_and_starts_no_job() -> None:
    again = check_run("rerequested", external_id=f"policy@{SHA}")
    assert red(again, name="check_run") == CheckPolicy("octo/fizz", 99, "main", SHA)
    unknown = check_run("rerequested", external_id=f"another@{SHA}")
    assert "nothing that is known" in ignored(red(unknown, name="check_run"))


def test_the_stop_button_cancels_even_where_the_bot_is_off_now() -> None:
    off = Known(RepoPolicy(enabled=False), may_write=True)
    found = red(check_run("requested_action", "stop"), off, "check_run")
    assert (type(found), found.about, found.asked) == (Cancel, "check-main", True)
    unnamed = check_run("requested_action", "stop", external_id="")
    assert "about nothing" in ignored(red(unnamed, name="check_run"))


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (check_run("requested_action", "fix", app={"id": 7}), "another App's"),
        (check_run("requested_action", "lgtm|26764"), "no such button"),
        (check_run("requested_action", "fix") | {"sender": person("regreen[bot]")}, "own doing"),
        (check_run("requested_action", "fix") | {"sender": person("some[bot]")}, "does not list"),
    ],
)
def test_a_button_that_does_nothing_says_why(payload: dict[str, Any], reason: str) -> None:
    assert reason in ignored(red(payload, name="check_run"))


def test_a_button_pressed_by_who_may_not_write_does_nothing() -> None:
    for button in ("fix", "stop"):
        assert "may not write" in ignored(red(check_run("requested_action", button), Known(), "check_run"))


def test_another_pull_request_from_our_branch_takes_nothing_over_and_is_no_subject_of_its_own() -> None:
    twins = suite(head_branch="regreen/issue-7", pull_requests=[listed(14), listed(12)])
    assert needs(event(twins, "check_suite"), RepoPolicy()) == Needs(branch="regreen/issue-7")
    on_ours = {"id": 5, "head_branch": "regreen/issue-7"}
    button = check_run("rerequested", check_suite=on_ours, pull_requests=[listed(14), listed(12)])
    assert needs(event(button, "check_run"), RepoPolicy()) == Needs("maintainer", branch="regreen/issue-7")
    other = Known(STACK, may_write=True, pull=replace(PULL, number=14, author="mallory"))
    assert "the App's own" in ignored(red(twins, other))
    for external_id in ("", f"check-main@{SHA}"):
        found = red(check_run("rerequested", external_id=external_id, check_suite=on_ours), other, "check_run")
        assert "no pull request is known" in ignored(found) or "the App's own" in ignored(found)
    pressed = check_run("rerequested", external_id=f"issue-7@{SHA}", check_suite=on_ours)
    assert "the App's own" in ignored(red(pressed, other, "check_run"))


def test_of_several_pull_requests_the_oldest_counts_or_the_one_that_the_check_run_is_about() -> None:
    several = [listed(14), listed(9)]
    assert needs(event(suite(head_branch="topic", pull_requests=several), "check_suite"), STACK) == Needs(pull=9)
    for external_id, number in ((f"pull-14@{SHA}", 14), (f"check-topic@{SHA}", 9)):
        on_topic = {"id": 5, "head_branch": "topic"}
        button = check_run("rerequested", external_id=external_id, check_suite=on_topic, pull_requests=several)
        assert needs(event(button, "check_run"), STACK) == Needs("maintainer", pull=number)
