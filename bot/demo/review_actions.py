"""What happens to reviews and review comments, with the webhooks that follow. Callers hold the store's lock."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.demo import diff_lines, shapes, shapes_code, shapes_reviews
from bot.demo.accounts import User
from bot.demo.actions import Actor, announce, announce_pull, check_text
from bot.demo.records import Issue, Pull, Repository, Review, ReviewComment
from bot.demo.refusal import RefusalError, invalid, missing
from bot.demo.store import LEVELS, Store

STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


@dataclass(frozen=True, slots=True)
class NewRemark:
    """A comment on a line of the diff; without `line` on the whole file."""

    path: str
    body: str
    line: int | None = None
    start_line: int | None = None
    side: str = diff_lines.RIGHT
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Thread:
    """The pull request that is spoken about: its repository, its issue and what makes that one."""

    repository: Repository
    issue: Issue
    pull: Pull

    @classmethod
    def of(cls, repository: Repository, issue: Issue) -> "Thread":
        """Refuses with 404 what is no pull request."""
        if issue.pull is None:
            raise missing()
        return cls(repository, issue, issue.pull)


@dataclass(frozen=True, slots=True)
class NewReview:
    """A review: `event` is APPROVE, REQUEST_CHANGES or COMMENT, or empty for one that stays pending."""

    event: str
    body: str
    remarks: Sequence[NewRemark] = ()
    commit: str = ""


def write_review(store: Store, where: Thread, actor: Actor, new: NewReview) -> Review:
    """Review a pull request. Refuses with 422 as GitHub does."""
    check_text("PullRequestReview", None, new.body)
    _check_event(where, actor, new)
    if any(one.state == "PENDING" and one.author.login == actor.user.login for one in where.pull.reviews):
        raise RefusalError(422, "Unprocessable Entity", ["User can only have one pending review per pull request"])
    sha = new.commit or where.pull.head_sha
    review = Review(store.next_id(), actor.user, new.body, "PENDING", sha, via_app=actor.via_app)
    made = [_remark(store, where, actor, review, one) for one in new.remarks]
    where.pull.reviews.append(review)
    where.pull.remarks += made
    if new.event:
        _submit(store, where, review, new.event)
    return review


def _check_event(where: Thread, actor: Actor, new: NewReview) -> None:
    if where.issue.author.login == actor.user.login and new.event in {"APPROVE", "REQUEST_CHANGES"}:
        verb = "approve" if new.event == "APPROVE" else "request changes on"
        raise RefusalError(422, "Unprocessable Entity", [f"Can not {verb} your own pull request"])
    if new.event in {"REQUEST_CHANGES", "COMMENT"} and not new.body.strip() and not new.remarks:
        raise RefusalError(422, "Unprocessable Entity", ["Review body cannot be blank"])


def submit_review(store: Store, where: Thread, review: Review, actor: Actor, event: str, body: str) -> None:
    """Submit a pending review."""
    if review.state != "PENDING" or review.author.login != actor.user.login:
        raise RefusalError(422, "Could not submit review")
    pending = [one for one in where.pull.remarks if one.review == review.id]
    review.body = body or review.body
    _check_event(where, actor, NewReview(event, review.body, [NewRemark(one.path, one.body) for one in pending]))
    _submit(store, where, review, event)


def _submit(store: Store, where: Thread, review: Review, event: str) -> None:
    review.state, review.submitted = STATES[event], store.now()
    where.issue.updated = store.now()
    if review.author.login in where.pull.reviewers:
        where.pull.reviewers.remove(review.author.login)
    _announce_review(store, "submitted", where, review, review.author)
    for one in where.pull.remarks:
        if one.review == review.id:
            _announce_remark(store, "created", where, one, one.author)


def edit_review(store: Store, where: Thread, review: Review, actor: Actor, body: str) -> None:
    """Replace a review's text."""
    check_text("PullRequestReview", None, body)
    if review.author.login != actor.user.login:
        raise RefusalError(403, "Must have write access to edit this review")
    review.body = body
    if review.state != "PENDING":
        _announce_review(store, "edited", where, review, actor.user)


def dismiss_review(store: Store, where: Thread, review: Review, actor: Actor) -> None:
    """Dismiss an approval or a request for changes."""
    if review.state not in {"APPROVED", "CHANGES_REQUESTED"}:
        raise RefusalError(422, "Can not dismiss a commented pull request review")
    review.state = "DISMISSED"
    _announce_review(store, "dismissed", where, review, actor.user)


def find_review(where: Thread, identity: int, reader: User) -> Review:
    """The review with this id. Refuses with 404, also another's pending one."""
    for one in where.pull.reviews:
        if one.id == identity and (one.state != "PENDING" or one.author.login == reader.login):
            return one
    raise missing()


def write_remark(store: Store, where: Thread, actor: Actor, new: NewRemark, commit: str = "") -> ReviewComment:
    """Comment on a line: GitHub wraps it in a review of its own."""
    review = _wrapped(store, actor, commit or where.pull.head_sha)
    remark = _remark(store, where, actor, review, new)
    return _publish(store, where, review, remark)


def reply(store: Store, where: Thread, actor: Actor, first: ReviewComment, body: str) -> ReviewComment:
    """Answer in a comment's thread. Refuses with 422 an answer to an answer, as REST does."""
    check_text("PullRequestReviewComment", None, body)
    if first.reply_to is not None:
        raise invalid("PullRequestReviewComment", "in_reply_to", "replies to replies are not supported", "invalid")
    review = _wrapped(store, actor, where.pull.head_sha)
    now = store.now()
    remark = ReviewComment(
        store.next_id(),
        review.id,
        actor.user,
        body,
        first.path,
        first.commit,
        first.hunk,
        now,
        now,
        first.line,
        first.start_line,
        first.side,
        first.position,
        first.id,
        via_app=actor.via_app,
    )
    return _publish(store, where, review, remark)


def _wrapped(store: Store, actor: Actor, commit: str) -> Review:
    return Review(store.next_id(), actor.user, "", "COMMENTED", commit, store.now(), via_app=actor.via_app)


def _publish(store: Store, where: Thread, review: Review, remark: ReviewComment) -> ReviewComment:
    where.pull.reviews.append(review)
    where.pull.remarks.append(remark)
    where.issue.updated = store.now()
    _announce_review(store, "submitted", where, review, review.author)
    _announce_remark(store, "created", where, remark, remark.author)
    return remark


def edit_remark(store: Store, where: Thread, remark: ReviewComment, actor: Actor, body: str) -> None:
    """Replace a review comment's text."""
    check_text("PullRequestReviewComment", None, body)
    _require_own(where, remark, actor)
    previous, remark.body, remark.updated = remark.body, body, store.now()
    _announce_remark(store, "edited", where, remark, actor.user, previous)


def delete_remark(store: Store, where: Thread, remark: ReviewComment, actor: Actor) -> None:
    """Delete a review comment."""
    _require_own(where, remark, actor)
    where.pull.remarks.remove(remark)
    _announce_remark(store, "deleted", where, remark, actor.user)


def resolve(store: Store, where: Thread, remark: ReviewComment, actor: Actor, *, resolved: bool) -> None:
    """Mark a thread as resolved, or open again."""
    remark.resolved = resolved
    listed = [one for one in where.pull.remarks if remark.id in {one.id, one.reply_to}]
    comments = [shapes_reviews.hooked_remark(store, where.repository, where.issue, one) for one in listed]
    thread = {"node_id": shapes.node_id("PullRequestReviewThread", remark.id), "comments": comments}
    _announce(store, ("pull_request_review_thread", "resolved" if resolved else "unresolved"), where, actor.user,
              {"thread": thread})  # fmt: skip


def _require_own(where: Thread, remark: ReviewComment, actor: Actor) -> None:
    level = where.repository.level(actor.user)
    if remark.author.login != actor.user.login and LEVELS.index(level) < LEVELS.index("write"):
        raise RefusalError(403, "Must have write access to edit this comment")


def find_remark(repository: Repository, identity: int) -> tuple[Thread, ReviewComment]:
    """The review comment with this id, and its pull request. Refuses with 404."""
    for issue in repository.issues.values():
        for one in issue.pull.remarks if issue.pull else ():
            if one.id == identity:
                return Thread.of(repository, issue), one
    raise missing()


def ask_reviewers(store: Store, where: Thread, actor: Actor, logins: Sequence[str]) -> None:
    """Ask people for a review. Refuses with 422 who cannot read along."""
    for login in logins:
        known = store.users.get(login.lower())
        if known is None or known.login not in where.repository.collaborators:
            raise RefusalError(422, "Reviews may only be requested from collaborators.")
        if known.login == where.issue.author.login:
            raise RefusalError(422, "Review cannot be requested from pull request author.")
        if known.login not in where.pull.reviewers:
            where.pull.reviewers.append(known.login)
            details = {"requested_reviewer": shapes.user(store, known)}
            announce_pull(store, "review_requested", where.repository, where.issue, actor.user, details)


def _remark(store: Store, where: Thread, actor: Actor, review: Review, new: NewRemark) -> ReviewComment:
    check_text("PullRequestReviewComment", None, new.body)
    git, now = where.repository.git, store.now()
    base = git.merge_base(where.pull.base_sha, review.commit) or where.pull.base_sha
    change = next((one for one in git.changes(base, review.commit) if one.path == new.path), None)
    if change is None or change.patch is None:
        raise invalid("PullRequestReviewComment", "path", "Path could not be resolved")
    made = ReviewComment(
        store.next_id(), review.id, actor.user, new.body, new.path, review.commit, change.patch, now, now,
        side=new.side, via_app=actor.via_app,
    )  # fmt: skip
    if new.line is None and new.position is None:
        return made
    if new.line is None:
        shown = next((one for one in diff_lines.lines(change.patch) if one.position == new.position), None)
    else:
        shown = diff_lines.find(change.patch, new.line, new.side)
    if shown is None:
        message = "pull_request_review_thread.line must be part of the diff"
        raise invalid("PullRequestReviewComment", "line", message)
    made.side = new.side if new.line else diff_lines.LEFT if shown.right is None else diff_lines.RIGHT
    made.line, made.start_line, made.position = shown.at(made.side), new.start_line, shown.position
    made.hunk = diff_lines.excerpt(change.patch, shown)
    return made


def _announce_review(store: Store, action: str, where: Thread, review: Review, by: User) -> None:
    shape = shapes_reviews.hooked_review(store, where.repository, where.issue, review)
    _announce(store, ("pull_request_review", action), where, by, {"review": shape})


def _announce_remark(
    store: Store, action: str, where: Thread, remark: ReviewComment, by: User, previous: str | None = None
) -> None:
    shape = {"comment": shapes_reviews.hooked_remark(store, where.repository, where.issue, remark)}
    changes = {} if previous is None else {"changes": {"body": {"from": previous}}}
    _announce(store, ("pull_request_review_comment", action), where, by, shape | changes)


def _announce(store: Store, what: tuple[str, str], where: Thread, by: User, details: shapes.Shape) -> None:
    pull = shapes_code.pull_simple(store, where.repository, where.issue, where.pull)
    announce(store, what, where.repository, by, details | {"pull_request": pull})
