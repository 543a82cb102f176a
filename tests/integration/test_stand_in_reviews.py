"""Reviews, review comments and merges at the stand-in, as PyGithub and plain HTTP see them."""

import json
from collections.abc import Iterator

import pytest
from fakes_github_site import (
    MAINTAINER,
    READER,
    REPOSITORY,
    GitHubSite,
    github_client,
    github_site,
    installation_token,
    rest,
)
from github import GithubException

from bot.demo.refusal import RefusalError
from bot.demo.review_actions import NewRemark

SHOP = "src/shop.py"
HEAD = "def total(prices):\n    if not prices:\n        return 0\n    return sum(prices)\n"
PULLS = f"repos/{REPOSITORY}/pulls"


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site() as running:
        running.state.commit(REPOSITORY, "change", {SHOP: HEAD}, "Guard")
        running.state.open_pull(REPOSITORY, "change")
        yield running


def hooks(site: GitHubSite) -> list[tuple[str, dict[str, object]]]:
    """Event and action, and the payload, of everything queued since the fixture."""
    return [(f"{one.event}.{one.action}", json.loads(one.body)) for one in site.state.hooks.pending]


def test_a_review_with_comments_is_read_and_answered_in_its_threads(site: GitHubSite) -> None:
    remarks = [NewRemark(SHOP, "Why 0?", line=3), NewRemark(SHOP, "The whole file")]
    review = site.state.review(REPOSITORY, 1, "REQUEST_CHANGES", "Please", remarks=remarks, by=MAINTAINER)
    pull = github_client(site).get_repo(REPOSITORY).get_pull(1)
    (found,) = pull.get_reviews()
    assert (found.id, found.state, found.body, found.user.login) == (
        review.id,
        "CHANGES_REQUESTED",
        "Please",
        MAINTAINER,
    )
    first, second = pull.get_review_comments()
    assert (first.path, first.line, first.position, first.body) == (SHOP, 3, 3, "Why 0?")
    assert first.diff_hunk.splitlines()[-1] == "+        return 0"
    assert second.raw_data["subject_type"] == "file"
    assert [one.id for one in pull.get_single_review_comments(review.id)] == [first.id, second.id]
    answer = pull.create_review_comment_reply(first.id, "Because")
    assert (answer.in_reply_to_id, answer.user.login) == (first.id, "regreen[bot]")
    with pytest.raises(GithubException, match="replies to replies"):
        pull.create_review_comment_reply(answer.id, "Again")
    with rest(site, installation_token(site)) as client:
        edited = client.patch(f"{PULLS}/comments/{answer.id}", json={"body": "Since"}).json()
        reacted = client.post(f"{PULLS}/comments/{first.id}/reactions", json={"content": "eyes"})
    assert (edited["body"], reacted.status_code) == ("Since", 201)


def test_a_review_is_announced_with_each_of_its_comments(site: GitHubSite) -> None:
    remark = NewRemark(SHOP, "Why 0?", line=3)
    site.state.review(REPOSITORY, 1, "REQUEST_CHANGES", "Please", remarks=[remark], by=MAINTAINER)
    (_, review), (event, comment) = hooks(site)[-2:]
    assert event == "pull_request_review_comment.created"
    assert review["review"]["state"] == "changes_requested"  # type: ignore[index]  # a payload is any JSON
    assert comment["comment"]["pull_request_review_id"] == review["review"]["id"]  # type: ignore[index]  # the same


def test_a_reply_and_a_resolved_thread_are_announced(site: GitHubSite) -> None:
    first = site.state.remark(REPOSITORY, 1, NewRemark(SHOP, "Why 0?", line=3), by=MAINTAINER)
    site.state.reply(REPOSITORY, first.id, "Hm", by=READER)
    site.state.resolve(REPOSITORY, first.id)
    assert [event for event, _ in hooks(site)[-5:]] == [
        "pull_request_review.submitted",
        "pull_request_review_comment.created",
        "pull_request_review.submitted",
        "pull_request_review_comment.created",
        "pull_request_review_thread.resolved",
    ]
    assert len(hooks(site)[-1][1]["thread"]["comments"]) == 2  # type: ignore[index]  # a payload is any JSON


def test_a_later_commit_moves_a_comments_line_or_puts_it_out_of_date(site: GitHubSite) -> None:
    site.state.remark(REPOSITORY, 1, NewRemark(SHOP, "stays", line=4), by=MAINTAINER)
    site.state.remark(REPOSITORY, 1, NewRemark(SHOP, "goes", line=3), by=MAINTAINER)
    changed = "# Sums\n" + HEAD.replace("return 0", "return 0.0")
    site.state.commit(REPOSITORY, "change", {SHOP: changed}, "Floats")
    stays, goes = github_client(site).get_repo(REPOSITORY).get_pull(1).get_review_comments()
    assert (stays.line, stays.original_line) == (5, 4)
    assert (goes.line, goes.original_line) == (None, 3)


def test_a_pending_review_is_nobodys_business_until_it_is_submitted(site: GitHubSite) -> None:
    before = len(hooks(site))
    review = site.state.review(REPOSITORY, 1, "", "Not yet", remarks=[NewRemark(SHOP, "x", line=2)], by=MAINTAINER)
    pull = github_client(site).get_repo(REPOSITORY).get_pull(1)
    assert (list(pull.get_reviews()), list(pull.get_review_comments()), len(hooks(site))) == ([], [], before)
    with rest(site, site.state.issue_user_token(MAINTAINER)) as client:
        sent = client.post(f"{PULLS}/1/reviews/{review.id}/events", json={"event": "COMMENT", "body": "Now"})
    assert (sent.json()["state"], len(list(pull.get_review_comments()))) == ("COMMENTED", 1)
    assert len(hooks(site)) == before + 2


def test_a_dismissed_review_counts_no_more(site: GitHubSite) -> None:
    review = site.state.review(REPOSITORY, 1, "APPROVE", by=MAINTAINER)
    site.state.dismiss(REPOSITORY, 1, review.id)
    (found,) = github_client(site).get_repo(REPOSITORY).get_pull(1).get_reviews()
    assert found.state == "DISMISSED"
    assert hooks(site)[-1][0] == "pull_request_review.dismissed"


def test_nobody_approves_what_is_their_own_nor_comments_beside_the_diff(site: GitHubSite) -> None:
    with pytest.raises(RefusalError, match="Unprocessable"):
        site.state.review(REPOSITORY, 1, "APPROVE")
    with pytest.raises(RefusalError, match="Validation"):
        site.state.remark(REPOSITORY, 1, NewRemark(SHOP, "x", line=40), by=MAINTAINER)
    with rest(site, installation_token(site)) as client:
        body = {"body": "x", "event": "COMMENT", "comments": [{"path": "nowhere.py", "body": "x", "line": 1}]}
        refused = client.post(f"{PULLS}/1/reviews", json=body)
    assert (refused.status_code, refused.json()["errors"]) == (422, ["Path could not be resolved"])


def test_reviewers_are_asked_and_are_no_more_asked_once_they_answered(site: GitHubSite) -> None:
    pull = github_client(site).get_repo(REPOSITORY).get_pull(1)
    pull.create_review_request(reviewers=[MAINTAINER])
    assert [one.login for one in pull.get_review_requests()[0]] == [MAINTAINER]
    site.state.review(REPOSITORY, 1, "APPROVE", by=MAINTAINER)
    assert list(pull.get_review_requests()[0]) == []


def test_a_merged_pull_request_says_so_and_stays_closed(site: GitHubSite) -> None:
    with rest(site, installation_token(site)) as client:
        assert client.get(f"{PULLS}/1/merge").status_code == 404
        assert client.put(f"{PULLS}/1/merge", json={"sha": "0" * 40}).status_code == 409
        sha = site.state.merge(REPOSITORY, 1, by=MAINTAINER)
        shape = client.get(f"{PULLS}/1").json()
        assert client.get(f"{PULLS}/1/merge").status_code == 204
        assert client.patch(f"{PULLS}/1", json={"state": "open"}).status_code == 422
    assert (shape["merged"], shape["merge_commit_sha"], shape["state"]) == (True, sha, "closed")
    assert site.state.repository(REPOSITORY).git.refs()["refs/heads/main"] == sha
    assert hooks(site)[-1][1]["pull_request"]["merged"] is True  # type: ignore[index]  # a payload is any JSON


def test_a_stale_branch_takes_its_base_in_unless_they_conflict(site: GitHubSite) -> None:
    pull = github_client(site).get_repo(REPOSITORY).get_pull(1)
    with rest(site, installation_token(site)) as client:
        assert client.put(f"{PULLS}/1/update-branch", json={}).status_code == 422
        site.state.commit(REPOSITORY, "main", {"README.md": "# Shop 2\n"}, "Rename")
        assert client.put(f"{PULLS}/1/update-branch", json={"expected_head_sha": "0" * 40}).status_code == 422
        assert client.put(f"{PULLS}/1/update-branch", json={"expected_head_sha": pull.head.sha}).status_code == 202
        site.state.commit(REPOSITORY, "main", {SHOP: "total = sum\n"}, "Shorten")
        assert client.put(f"{PULLS}/1/update-branch", json={}).status_code == 422
        merges = {"base": "change", "head": "main"}
        assert client.post(f"repos/{REPOSITORY}/merges", json=merges).status_code == 409
        ahead = client.get(f"repos/{REPOSITORY}/compare/main...change").json()
    pull.update()
    assert (pull.mergeable, pull.mergeable_state, ahead["status"], ahead["behind_by"]) == (
        False,
        "dirty",
        "diverged",
        1,
    )


def test_a_branch_is_merged_into_another(site: GitHubSite) -> None:
    site.state.commit(REPOSITORY, "main", {"README.md": "# Shop 2\n"}, "Rename")
    repository = github_client(site).get_repo(REPOSITORY)
    made = repository.merge("change", "main", "Catch up")
    assert made is not None
    assert (made.commit.message, len(made.parents)) == ("Catch up", 2)
    assert repository.merge("change", "main") is None
    assert repository.get_pull(1).head.sha == made.sha


def test_labels_are_renamed_replaced_and_deleted(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    label = repository.create_label("working", "ededed", "At it")
    issue = repository.get_issue(1)
    issue.set_labels("working", "bug")
    label.edit("regreen:working", "00ff00")
    assert [one.name for one in issue.get_labels()] == ["regreen:working", "bug"]
    repository.get_label("bug").delete()
    assert [one.name for one in repository.get_labels()] == ["regreen:working"]
    assert [one.name for one in repository.get_issue(1).labels] == ["regreen:working"]
