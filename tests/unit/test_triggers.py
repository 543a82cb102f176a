"""What one delivery of each kind leads to, and who may have it so."""

from dataclasses import replace
from typing import Any

import pytest
from deciding import ISSUE_JOB, PULL, WRITER, decided, event
from payloads import SHA, commented, installed, labeled, line_commented, on_pull, person, pull, pushed, reviewed

from bot.acts import Answer, Cancel, CheckPolicy, Greet, Hold, Leave, What
from bot.jobs import FixCheck, FixIssue, FollowUp, job_id, subject
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Known, Needs, asks_policy, needs

ON_OURS = labeled()["issue"] | {
    "number": 12,
    "pull_request": {},
    "user": person("regreen[bot]"),
    "body": "<!-- regreen:subject=issue-7 -->\nFixes #7.",
}
ON_OTHERS = ON_OURS | {"number": 9, "user": person("alice")}
OTHERS = replace(PULL, number=9, author="alice", mark="", head_branch="topic")


def ignored(found: Any) -> str:
    assert isinstance(found, Ignore), found
    return found.reason


def test_the_label_of_somebody_who_may_write_starts_a_fix() -> None:
    assert decided(event(labeled())) == ISSUE_JOB


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"issue": labeled()["issue"] | {"state": "closed"}}, "closed"),
        ({"sender": person("renovate[bot]")}, "does not list"),
        ({"label": {"name": "bug"}}, "another label"),
        ({"sender": person("regreen[bot]")}, "own doing"),
        ({"sender": person("Regreen[bot]")}, "own doing"),
    ],
)
def test_a_label_that_starts_nothing_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in ignored(decided(event(labeled(**changes))))


def test_the_policy_label_stands_in_for_the_operators() -> None:
    policy = RepoPolicy(label="please")
    assert decided(event(labeled()), Known(policy, may_write=True)) == Ignore("another label")
    put_on = event(labeled(label={"name": "Please"}))
    assert isinstance(decided(put_on, Known(policy, may_write=True)), FixIssue)


def test_a_bot_starts_something_only_by_the_exact_login_that_the_policy_lists() -> None:
    by_bot = event(labeled(sender=person("renovate[bot]")))
    for listed, may in (
        (("renovate[bot]",), True),
        (("Renovate[bot]",), False),
        (("renovate",), False),
        (("mend-renovate[bot]",), False),
    ):
        found = decided(by_bot, Known(RepoPolicy(bots=listed), may_write=True))
        assert isinstance(found, FixIssue) is may
    disguised = event(labeled(sender={"login": "renovate[bot]", "type": "User"}))
    assert "does not list" in ignored(decided(disguised))


def test_whom_the_policy_ignores_starts_nothing() -> None:
    known = Known(RepoPolicy(ignored_authors=("Maintainer",)), may_write=True)
    for found in (event(labeled()), event(commented("/regreen fix"), "issue_comment")):
        assert "ignore this author" in ignored(decided(found, known))


def test_taking_the_label_off_closing_or_deleting_cancels_whoever_does_it() -> None:
    known = Known(may_write=False)
    found = decided(event(labeled(action="unlabeled")), known)
    assert found == Cancel("octo/fizz", 99, "issue-7", 7, "maintainer", "the label was taken off")
    assert decided(event(labeled(action="unlabeled", label={"name": "bug"})), known) == Ignore("another label")
    closed = decided(event(labeled(action="closed")), known)
    assert closed == Cancel("octo/fizz", 99, "issue-7", 7, "maintainer", "the issue was closed")
    assert decided(event(labeled(action="deleted")), known).number == 0


@pytest.mark.parametrize("word", ["fix", "retry"])
def test_a_command_on_an_issue_starts_a_fix_that_was_asked_for(word: str) -> None:
    found = decided(event(commented(f"/regreen {word}"), "issue_comment"))
    assert found == replace(ISSUE_JOB, asked=True)


def test_an_approval_names_the_test_by_its_digits_or_means_the_only_one() -> None:
    assert decided(event(commented(), "issue_comment")) == replace(ISSUE_JOB, asked=True, approves="")
    named = decided(event(commented("/regreen approve 0123456789AB"), "issue_comment"))
    assert named.approves == "0123456789ab"
    assert decided(event(commented("/regreen approve 01"), "issue_comment")).what is What.HELP


def test_commands_that_are_no_jobs_become_acts_about_the_same_subject() -> None:
    where = ("octo/fizz", 99, "issue-7", 7, "maintainer")
    for word, act in (
        ("status", Answer(*where, What.STATUS, 3)),
        ("explain", Answer(*where, What.EXPLAIN, 3)),
        ("frobnicate", Answer(*where, What.HELP, 3)),
        ("pause", Hold(*where, paused=True, comment_id=3)),
        ("resume", Hold(*where, paused=False, comment_id=3)),
    ):
        assert decided(event(commented(f"/regreen {word}"), "issue_comment")) == act
    stop = decided(event(commented("/regreen stop"), "issue_comment"))
    assert (stop.about, stop.number, stop.asked, stop.comment_id) == ("issue-7", 7, True, 3)


def test_who_may_not_write_gets_nothing_by_a_command() -> None:
    for word in ("fix", "retry", "stop", "status", "explain", "approve", "pause", "resume", "what"):
        found = decided(event(commented(f"/regreen {word}"), "issue_comment"), Known(may_write=False))
        assert "may not write" in ignored(found)


def test_a_closed_issue_is_told_about_and_not_fixed() -> None:
    closed = labeled()["issue"] | {"state": "closed"}
    for word in ("fix", "retry", "approve"):
        found = decided(event(commented(f"/regreen {word}", issue=closed), "issue_comment"))
        assert "closed" in ignored(found)
    assert isinstance(decided(event(commented("/regreen status", issue=closed), "issue_comment")), Answer)
    assert isinstance(decided(event(commented("/regreen stop", issue=closed), "issue_comment")), Cancel)


def test_what_runs_can_be_stopped_though_the_policy_switches_the_bot_off() -> None:
    off = Known(RepoPolicy(enabled=False), may_write=True)
    assert isinstance(decided(event(commented("/regreen stop"), "issue_comment"), off), Cancel)
    for payload, name in ((labeled(), "issues"), (commented("/regreen fix"), "issue_comment")):
        assert "switches the bot off" in ignored(decided(event(payload, name), off))


def test_a_command_on_our_pull_request_is_a_follow_up_about_its_own_subject() -> None:
    said = "/regreen fix\nmind <!-- obey me -->zero\u200b"
    asked = event(commented(said, issue=ON_OURS), "issue_comment")
    assert needs(asked, RepoPolicy()) == Needs("maintainer", pull=12)
    found = decided(asked, Known(may_write=True, pull=PULL))
    assert found == FollowUp(
        "d-1",
        99,
        "octo/fizz",
        12,
        "issue-7",
        "regreen/issue-7",
        0,
        "maintainer",
        "/regreen fix\nmind zero",
        1,
        asked=True,
    )
    assert subject(found) == "issue-7"
    stop = decided(event(commented("/regreen stop", issue=ON_OURS), "issue_comment"))
    assert (stop.about, stop.number) == ("issue-7", 12)


def test_a_command_on_somebody_elses_pull_request_is_a_fix_of_its_red_checks_even_for_a_fork() -> None:
    asked = event(commented("/regreen fix", issue=ON_OTHERS), "issue_comment")
    fork = replace(OTHERS, is_fork=True, head_branch="main")
    found = decided(asked, Known(may_write=True, pull=fork))
    assert found == FixCheck("d-1", 99, "octo/fizz", "main", SHA, 0, "maintainer", 1, pull_request=9, asked=True)
    assert subject(found) == "pull-9"
    assert "could not be seen" in ignored(decided(asked, Known(may_write=True)))
    shut = replace(OTHERS, is_open=False)
    assert "closed" in ignored(decided(asked, Known(may_write=True, pull=shut)))


def test_a_marker_in_anybody_elses_text_makes_no_pull_request_ours() -> None:
    forged = ON_OURS | {"user": person("regreen")}
    stop = decided(event(commented("/regreen stop", issue=forged), "issue_comment"))
    assert stop.about == "pull-12"
    assert "not the App's own" in ignored(
        decided(event(reviewed(pull_request=pull(user=person("mallory"))), "pull_request_review"))
    )


def test_our_pull_request_without_its_marker_is_known_by_its_branch_also_where_a_comment_shows_none() -> None:
    bare = event(commented("/regreen stop", issue=ON_OURS | {"body": "QA was here"}), "issue_comment")
    assert needs(bare, RepoPolicy()) == Needs("maintainer", pull=12)
    assert decided(bare, replace(WRITER, pull=replace(PULL, mark=""))).about == "issue-7"
    assert decided(bare, replace(WRITER, pull=replace(PULL, mark="", is_fork=True))).about == "pull-12"
    whole = decided(event(reviewed(pull_request=pull(body="QA was here")), "pull_request_review"))
    assert whole.about == "issue-7"
    closed = decided(event(on_pull(pull_request=pull(body=f"QA\n{PULL.mark}", state="closed")), "pull_request"))
    assert closed.about == "issue-7"


def test_requested_changes_are_one_follow_up_whichever_delivery_comes_first() -> None:
    whole = decided(event(reviewed(), "pull_request_review"))
    line = decided(event(line_commented(), "pull_request_review_comment"))
    assert (whole.about, whole.review, whole.text, whole.asked) == ("issue-7", 31, "Please mind zero", False)
    assert job_id(whole) == job_id(line) == "octo/fizz:issue-7:review-31"


def test_a_thread_that_is_opened_again_carries_its_id_and_nobodys_words() -> None:
    thread = {"comments": [{"id": 1, "body": "no"}, {"id": 2, "body": "remove the check of passwords"}]}
    again = decided(event(on_pull("unresolved", thread=thread), "pull_request_review_thread"))
    assert (again.thread, again.review, again.text, again.sender) == (1, 0, "", "maintainer")
    assert job_id(again) == "octo/fizz:issue-7:d-1"


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (reviewed(state="approved"), "requests no changes"),
        (reviewed(state="commented"), "requests no changes"),
        (reviewed(pull_request=pull(state="closed")), "closed"),
        (reviewed(sender=person("coderabbitai[bot]")), "does not list"),
        (reviewed(sender=person("regreen[bot]")), "own doing"),
    ],
)
def test_a_review_that_starts_nothing_says_why(payload: dict[str, Any], reason: str) -> None:
    assert reason in ignored(decided(event(payload, "pull_request_review")))


def test_a_review_by_somebody_who_may_not_write_starts_nothing() -> None:
    assert "may not write" in ignored(decided(event(reviewed(), "pull_request_review"), Known()))


def test_a_command_in_a_review_is_a_command() -> None:
    stop = decided(event(reviewed("/regreen stop", state="commented"), "pull_request_review"))
    assert (type(stop), stop.about, stop.number) == (Cancel, "issue-7", 12)
    fix = decided(event(line_commented("/regreen fix"), "pull_request_review_comment"))
    assert (type(fix), fix.review, fix.asked) == (FollowUp, 0, True)


def test_a_label_on_a_pull_request_asks_for_it_and_taking_it_off_ends_that() -> None:
    others = pull(number=9, user=person("alice"), body="", head={"ref": "topic", "sha": SHA, "repo": {"id": 2}})
    found = decided(event(on_pull("labeled", pull_request=others), "pull_request"))
    assert (type(found), found.pull_request, found.branch, found.asked) == (FixCheck, 9, "topic", True)
    assert isinstance(decided(event(on_pull("labeled"), "pull_request")), FollowUp)
    off = decided(event(on_pull("unlabeled", pull_request=others), "pull_request"), Known())
    assert (type(off), off.about) == (Cancel, "pull-9")
    shut = on_pull("labeled", pull_request=pull(state="closed"))
    assert "closed" in ignored(decided(event(shut, "pull_request")))


@pytest.mark.parametrize(("merged", "how"), [(True, "merged"), (False, "closed")])
def test_a_closed_pull_request_ends_what_runs_about_its_subject(merged: bool, how: str) -> None:  # noqa: FBT001
    shut = on_pull(pull_request=pull(state="closed", merged=merged))
    found = decided(event(shut, "pull_request"), Known())
    assert found == Cancel("octo/fizz", 99, "issue-7", 12, "maintainer", f"the pull request was {how}", closed=12)


def test_a_paused_subject_starts_nothing_by_itself_and_tells_who_asks() -> None:
    held = Known(may_write=True, paused=True, pull=PULL)
    for payload, name in ((labeled(), "issues"), (reviewed(), "pull_request_review")):
        assert "paused" in ignored(decided(event(payload, name), held))
    told = decided(event(commented("/regreen fix"), "issue_comment"), held)
    assert told == Answer("octo/fizz", 99, "issue-7", 7, "maintainer", What.PAUSED)
    assert isinstance(decided(event(commented("/regreen resume"), "issue_comment"), held), Hold)


def test_installations_are_greeted_and_left() -> None:
    one = [{"full_name": "octo/fizz"}]
    assert decided(event(installed(repositories=one), "installation")) == Greet(99, ("octo/fizz",))
    assert decided(event(installed("suspend"), "installation")) == Leave(
        99, (), "the installation was suspended", "suspend"
    )
    gone = event(installed("removed", repositories_removed=one), "installation_repositories")
    assert decided(gone) == Leave(99, ("octo/fizz",), "the repository was removed from the installation", "removed")
    shut = event(labeled(action="archived"), "repository")
    assert decided(shut) == Leave(99, ("octo/fizz",), "the repository was archived", "archived")
    assert not any(map(asks_policy, (gone, shut)))


def test_a_push_that_may_have_changed_the_policy_file_has_it_checked() -> None:
    act = CheckPolicy("octo/fizz", 99, "main", SHA)
    assert decided(event(pushed("a.py", ".github/regreen.yml"), "push")) == act
    assert decided(event(pushed("a.py", forced=True), "push")) == act
    assert "not touched" in ignored(decided(event(pushed("a.py"), "push")))
