"""`pull_request.*` and the three events of reviews.

Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
"""

from typing import Annotated

from pydantic import Field

from bot.events.fields import Bound, Id, LabelField, Payload, PullRequestField, Raw, Word
from bot.events.types import PullRequestClosed, PullRequestLabeled, ReviewCommented, Reviewed, ThreadReopened, Unhandled


class _OnPullRequest(Bound):
    pull_request: PullRequestField


class Labeled(_OnPullRequest):
    """`pull_request.labeled` and `.unlabeled`."""

    action: Word
    label: LabelField | None = None

    def event(self) -> PullRequestLabeled | Unhandled:
        """The event."""
        if self.label is None:
            return Unhandled("the label was deleted")
        return PullRequestLabeled(
            repository=self.where(),
            pull=self.pull_request.seen(),
            label=self.label.name,
            removed=self.action == "unlabeled",
            sender=self.login,
            sender_is_bot=self.is_bot,
        )


class Closed(_OnPullRequest):
    """`pull_request.closed`."""

    def event(self) -> PullRequestClosed:
        """The event."""
        return PullRequestClosed(
            repository=self.where(),
            pull=self.pull_request.seen(),
            merged=bool(self.pull_request.merged),
            sender=self.login,
            sender_is_bot=self.is_bot,
        )


class _Review(Payload):
    id: Id
    body: Raw = ""
    state: Word


class Submitted(_OnPullRequest):
    """`pull_request_review.submitted`."""

    review: _Review

    def event(self) -> Reviewed:
        """The event."""
        return Reviewed(
            repository=self.where(),
            pull=self.pull_request.seen(),
            review=self.review.id,
            verdict=self.review.state,
            text=self.review.body,
            sender=self.login,
            sender_is_bot=self.is_bot,
        )


class _LineComment(Payload):
    id: Id
    body: Raw = ""
    pull_request_review_id: Id | None = None


class LineCommented(_OnPullRequest):
    """`pull_request_review_comment.created`."""

    comment: _LineComment

    def event(self) -> ReviewCommented:
        """The event."""
        return ReviewCommented(
            repository=self.where(),
            pull=self.pull_request.seen(),
            review=self.comment.pull_request_review_id or 0,
            comment_id=self.comment.id,
            text=self.comment.body,
            sender=self.login,
            sender_is_bot=self.is_bot,
        )


class _Thread(Payload):
    comments: Annotated[tuple[_LineComment, ...], Field(max_length=10_000, strict=False)]


class Unresolved(_OnPullRequest):
    """`pull_request_review_thread.unresolved`."""

    thread: _Thread

    def event(self) -> ThreadReopened | Unhandled:
        """The event. What is said in the thread is looked up: whoever reopens it has written none of it, perhaps."""
        if not self.thread.comments:
            return Unhandled("the thread holds no comments")
        return ThreadReopened(
            repository=self.where(),
            pull=self.pull_request.seen(),
            thread=self.thread.comments[0].id,
            sender=self.login,
            sender_is_bot=self.is_bot,
        )
