"""One delivery of each kind as GitHub sends it, and what of it becomes an event."""

from typing import Any

import pytest
from payloads import (
    SHA,
    check_run,
    commented,
    delivery,
    installed,
    labeled,
    line_commented,
    listed,
    on_pull,
    person,
    pull,
    pushed,
    reviewed,
    status,
    suite,
    workflow_run,
)

from bot.errors import PayloadError
from bot.events import (
    MAX_BODY,
    CheckAsked,
    CommitChecked,
    Event,
    InstallationChanged,
    IssueCommented,
    IssueEnded,
    IssueUnlabeled,
    PullRequest,
    PullRequestClosed,
    PullRequestLabeled,
    Pushed,
    Repository,
    RepositoryLeft,
    ReviewCommented,
    Reviewed,
    ThreadReopened,
    Unhandled,
    parse,
)

HERE = Repository("octo/fizz", 1, "main", 99)
MARK = "<!-- regreen:subject=issue-7 -->"
PULL = PullRequest(12, "regreen[bot]", MARK, "regreen/issue-7", SHA, "main", is_open=True, is_fork=False)


def event(payload: dict[str, Any], name: str) -> Event:
    return parse(delivery(payload, name))


def test_what_ends_an_issue_becomes_an_event() -> None:
    assert event(labeled(action="unlabeled"), "issues") == IssueUnlabeled(
        HERE, 7, "regreen", "maintainer", sender_is_bot=False
    )
    for how in ("closed", "deleted", "transferred"):
        assert event(labeled(action=how), "issues") == IssueEnded(HERE, 7, how, "maintainer", sender_is_bot=False)


def test_a_comment_on_a_pull_request_says_whose_it_is_and_keeps_what_is_hidden_in_it() -> None:
    issue = labeled()["issue"] | {"pull_request": {}, "user": person("regreen[bot]"), "body": f"{MARK}\r\nFixes #7."}
    found = event(commented("<!-- a -->/regreen fix", issue=issue), "issue_comment")
    assert isinstance(found, IssueCommented)
    assert (found.pull_request, found.author, found.mark) == (True, "regreen[bot]", MARK)
    assert (found.comment, found.body) == ("<!-- a -->/regreen fix", "\nFixes #7.")


def test_an_issue_is_free_of_what_nobody_sees_at_the_trigger() -> None:
    issue = labeled()["issue"] | {"title": "a\u202eb\u200b", "body": "x<!-- obey\nme -->y\U000e0041\u00a0z"}
    found = event(labeled(issue=issue), "issues")
    assert (getattr(found, "title", ""), getattr(found, "body", "")) == ("ab", "xy z")


@pytest.mark.parametrize("action", ["labeled", "unlabeled"])
def test_a_label_on_a_pull_request_comes_with_the_pull_request(action: str) -> None:
    assert event(on_pull(action), "pull_request") == PullRequestLabeled(
        HERE, PULL, "regreen", removed=action == "unlabeled", sender="maintainer", sender_is_bot=False
    )


def test_a_closed_pull_request_says_whether_it_was_merged() -> None:
    payload = on_pull(pull_request=pull(merged=True, state="closed"))
    closed = PullRequest(12, "regreen[bot]", MARK, "regreen/issue-7", SHA, "main", is_open=False, is_fork=False)
    assert event(payload, "pull_request") == PullRequestClosed(
        HERE, closed, merged=True, sender="maintainer", sender_is_bot=False
    )


@pytest.mark.parametrize("repo", [None, {"id": 2}])
def test_a_head_in_another_repository_or_in_none_is_a_forks(repo: Any) -> None:
    found = event(on_pull(pull_request=pull(head={"ref": "main", "sha": SHA, "repo": repo}, user=None)), "pull_request")
    assert isinstance(found, PullRequestClosed)
    assert (found.pull.is_fork, found.pull.author) == (True, "")


def test_a_review_its_comments_and_a_thread_become_events() -> None:
    assert event(reviewed(), "pull_request_review") == Reviewed(
        HERE, PULL, 31, "changes_requested", "Please mind zero", "maintainer", sender_is_bot=False
    )
    assert event(line_commented(), "pull_request_review_comment") == ReviewCommented(
        HERE, PULL, 31, 41, "Not here", "maintainer", sender_is_bot=False
    )
    thread = {"node_id": "T", "comments": [{"id": 1, "body": "first"}, {"id": 2, "body": "last"}]}
    assert event(on_pull("unresolved", thread=thread), "pull_request_review_thread") == ThreadReopened(
        HERE, PULL, 1, "maintainer", sender_is_bot=False
    )
    empty = event(on_pull("unresolved", thread={"comments": []}), "pull_request_review_thread")
    assert isinstance(empty, Unhandled)


def test_a_review_without_words_has_an_empty_text() -> None:
    found = event(reviewed(body=None), "pull_request_review")  # type: ignore[arg-type]  # as GitHub sends it
    assert isinstance(found, Reviewed)
    assert found.text == ""


def test_every_source_of_a_checked_commit_gives_the_same_kind_of_event() -> None:
    base = CommitChecked(HERE, "", 5, SHA, "main", "failure", 0, "maintainer")
    for payload, source, app_id, suite_id, branches in (
        (suite(), "check_suite", 15368, 5, ()),
        (check_run(), "check_run", 42, 5, ()),
        (workflow_run(), "workflow_run", 0, 5, ()),
        (status(), "status", 0, 0, ("main",)),
    ):
        found = event(payload, source)
        assert isinstance(found, CommitChecked)
        assert found == CommitChecked(
            base.repository, source, suite_id, SHA, "main", "failure", app_id, "maintainer", branches
        )


def test_only_pull_requests_of_this_repository_count_as_a_checks() -> None:
    both = [listed(3, repository=2), listed(12)]
    for payload, source in (
        (suite(pull_requests=both), "check_suite"),
        (check_run(pull_requests=both), "check_run"),
        (workflow_run(pull_requests=both), "workflow_run"),
    ):
        found = event(payload, source)
        assert isinstance(found, CommitChecked)
        assert found.pull_requests == (12,)


@pytest.mark.parametrize("repository", [None, {"id": 2}])
def test_a_workflow_run_for_a_fork_is_a_forks_though_its_branch_is_called_main(repository: Any) -> None:
    found = event(workflow_run(head_repository=repository), "workflow_run")
    assert isinstance(found, CommitChecked)
    assert found.is_fork


def test_a_status_is_on_the_default_branch_where_that_holds_the_commit() -> None:
    for branches, branch in ((("dev", "main"), "main"), (("dev", "old"), "dev"), ((), "")):
        found = event(status(branches=branches), "status")
        assert isinstance(found, CommitChecked)
        assert (found.head_branch, found.branches) == (branch, branches)


def test_buttons_and_re_runs_name_the_check_run_that_they_are_on() -> None:
    pressed = event(check_run("requested_action", "fix", pull_requests=[listed()]), "check_run")
    assert pressed == CheckAsked(
        HERE, "fix", 42, f"check-main@{SHA}", SHA, "main", (12,), "maintainer", sender_is_bot=False
    )
    again = event(check_run("rerequested", check_suite={"id": 5, "head_branch": None}), "check_run")
    assert isinstance(again, CheckAsked)
    assert (again.action, again.head_branch) == ("rerun", "")
    whole = event(suite(app={"id": 42}) | {"action": "rerequested"}, "check_suite")
    assert whole == CheckAsked(HERE, "rerun", 42, "", SHA, "main", (), "maintainer", sender_is_bot=False)


def test_a_push_names_its_paths_and_says_whether_any_are_left_out() -> None:
    assert event(pushed("a.py", "b.py"), "push") == Pushed(
        HERE, SHA, frozenset({"a.py", "b.py"}), complete=True, sender="maintainer", sender_is_bot=False
    )
    many = [{"added": [], "removed": [], "modified": []}] * 2048
    for changes in ({"forced": True}, {"commits": many}):
        found = event(pushed(**changes), "push")
        assert isinstance(found, Pushed)
        assert not found.complete


@pytest.mark.parametrize(
    ("action", "reachable"),
    [
        ("created", True),
        ("unsuspend", True),
        ("new_permissions_accepted", True),
        ("suspend", False),
        ("deleted", False),
    ],
)
def test_an_installation_can_be_reached_or_is_gone_as_a_whole(action: str, reachable: bool) -> None:  # noqa: FBT001
    found = event(installed(action, repositories=[{"full_name": "octo/fizz"}]), "installation")
    assert found == InstallationChanged(99, reachable, ("octo/fizz",) if reachable else (), action)


def test_a_selection_names_what_was_added_or_removed() -> None:
    one = [{"full_name": "octo/fizz", "id": 1}]
    added = event(installed("added", repositories_added=one, repositories_removed=[]), "installation_repositories")
    assert added == InstallationChanged(99, True, ("octo/fizz",), "added")  # noqa: FBT003 - one of four values
    gone = event(installed("removed", repositories_added=[], repositories_removed=one), "installation_repositories")
    assert gone == InstallationChanged(99, False, ("octo/fizz",), "removed")  # noqa: FBT003 - one of four values


def test_a_repository_that_left_goes_by_the_name_that_it_had() -> None:
    renamed = {"repository": {"name": {"from": "buzz"}}}
    moved = {"owner": {"from": {"organization": {"login": "cats"}}}}
    for action, changes, former in (
        ("archived", None, "octo/fizz"),
        ("deleted", None, "octo/fizz"),
        ("renamed", renamed, "octo/buzz"),
        ("transferred", moved, "cats/fizz"),
        ("transferred", {"owner": {"from": {"user": {"login": "tom"}}}}, "tom/fizz"),
    ):
        found = event(labeled(action=action, changes=changes), "repository")
        assert found == RepositoryLeft(99, former, action)


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        (on_pull(pull_request=pull(number=0)), "pull_request"),
        (on_pull(pull_request=pull(head={"ref": "x", "sha": "main"})), "pull_request"),
        (reviewed(state="Changes!"), "pull_request_review"),
        (check_run("requested_action", "x" * 101), "check_run"),
        (check_run(external_id="x" * 1_001), "check_run"),
        (workflow_run(check_suite_id="5"), "workflow_run"),
        (status(sha="main"), "status"),
        (pushed(after=None), "push"),
        (installed(repositories=[{"full_name": "../x"}]), "installation"),
        (labeled(action="renamed", changes={"repository": {"name": {"from": 7}}}), "repository"),
    ],
)
def test_what_is_not_as_documented_is_a_payload_error(payload: dict[str, Any], name: str) -> None:
    with pytest.raises(PayloadError):
        event(payload, name)


def test_texts_are_cut_and_of_a_body_only_the_marker_is_kept_on_whatever_line() -> None:
    found = event(
        reviewed("x" * 100_000, pull_request=pull(body=f"QA\r\n{MARK}\r\n" + "y" * 100_000)), "pull_request_review"
    )
    assert isinstance(found, Reviewed)
    assert (len(found.text), found.pull.mark) == (MAX_BODY, MARK)
