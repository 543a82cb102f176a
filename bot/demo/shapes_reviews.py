"""Records → GitHub's JSON: reviews and review comments."""

from bot.demo import diff_lines, shapes
from bot.demo.git_store import GitError
from bot.demo.records import Issue, Repository, Review, ReviewComment
from bot.demo.shapes import Shape, node_id, when
from bot.demo.store import Store


def _urls(store: Store, repository: Repository, issue: Issue) -> tuple[str, str]:
    api = f"{store.api}/repos/{repository.full_name}/pulls"
    return api, shapes.html_url(store, repository, issue)


def review(store: Store, repository: Repository, issue: Issue, one: Review) -> Shape:
    """A pull-request-review."""
    api, web = _urls(store, repository, issue)
    page, pull = f"{web}#pullrequestreview-{one.id}", f"{api}/{issue.number}"
    shape: Shape = {
        "id": one.id,
        "node_id": node_id("PullRequestReview", one.id),
        "user": shapes.user(store, one.author),
        "body": one.body,
        "state": one.state,
        "html_url": page,
        "pull_request_url": pull,
        "author_association": shapes.association(repository, one.author),
        "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
        "commit_id": one.commit,
    }
    return shape | ({"submitted_at": when(one.submitted)} if one.submitted else {})


def hooked_review(store: Store, repository: Repository, issue: Issue, one: Review) -> Shape:
    """A review as webhooks show it: the state in small letters, an empty text as null."""
    shape = review(store, repository, issue, one)
    return shape | {"state": one.state.lower(), "body": one.body or None, "updated_at": when(one.submitted)}


def remark(store: Store, repository: Repository, issue: Issue, one: ReviewComment) -> Shape:
    """A pull-request-review-comment. What is out of date has no `line` and no `position`."""
    api, web = _urls(store, repository, issue)
    url, page, pull = f"{api}/comments/{one.id}", f"{web}#discussion_r{one.id}", f"{api}/{issue.number}"
    shape: Shape = {
        "id": one.id,
        "node_id": node_id("PullRequestReviewComment", one.id),
        "url": url,
        "html_url": page,
        "pull_request_url": pull,
        "pull_request_review_id": one.review,
        "diff_hunk": one.hunk,
        "path": one.path,
        "commit_id": one.commit,
        "original_commit_id": one.commit,
        "original_position": one.position,
        "user": shapes.user(store, one.author),
        "body": one.body,
        "created_at": when(one.created),
        "updated_at": when(one.updated),
        "author_association": shapes.association(repository, one.author),
        "subject_type": "line" if one.line else "file",
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull}},
        "reactions": shapes.reactions(url, one.reactions),
    }
    if one.reply_to is not None:
        shape["in_reply_to_id"] = one.reply_to
    return shape | _place(repository, issue, one)


def _place(repository: Repository, issue: Issue, one: ReviewComment) -> Shape:
    if one.line is None:
        return {"position": one.position}
    shape: Shape = {"side": one.side, "original_line": one.line, "original_start_line": one.start_line}
    shape |= {"start_line": one.start_line, "start_side": one.side if one.start_line else None}
    line = present_line(repository, issue, one)
    if line is None:
        return shape | {"start_line": None, "start_side": None}
    shape |= {"line": line, "position": one.position, "commit_id": issue.pull.head_sha if issue.pull else one.commit}
    if one.start_line is not None:
        shape["start_line"] = line - (one.line - one.start_line)
    return shape


def present_line(repository: Repository, issue: Issue, one: ReviewComment) -> int | None:
    """Where the line is in the pull request's head now; `None` where later commits changed it."""
    if one.line is None or issue.pull is None:
        return None
    if one.side == diff_lines.LEFT or one.commit == issue.pull.head_sha:
        return one.line
    try:
        patch = repository.git.text("diff", "--unified=0", one.commit, issue.pull.head_sha, "--", one.path)
    except GitError:
        return None
    return diff_lines.moved(patch, one.line)


def hooked_remark(store: Store, repository: Repository, issue: Issue, one: ReviewComment) -> Shape:
    """A review comment as webhooks show it: what is out of date has a null `line` and `position`."""
    shape = remark(store, repository, issue, one)
    absent = dict.fromkeys(("line", "original_line", "start_line", "original_start_line", "start_side", "position"))
    return absent | {"side": one.side} | shape
