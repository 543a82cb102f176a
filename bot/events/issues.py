"""`issues.*` and `issue_comment.*`.

Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#issues
"""

from typing import Any

from bot.events.fields import Bound, Id, LabelField, Payload, Raw, Title, UserField, Word, author
from bot.events.types import IssueCommented, IssueEnded, IssueLabeled, IssueUnlabeled, Unhandled
from bot.own_pulls import mark_of
from bot.visible import without_hidden


class _Issue(Payload):
    number: Id
    title: Title
    body: Raw = ""
    state: Word = "open"
    user: UserField | None = None
    pull_request: dict[str, Any] | None = None


class Labeled(Bound):
    """`issues.labeled`."""

    label: LabelField | None = None
    issue: _Issue

    def event(self) -> IssueLabeled | Unhandled:
        """The event; pull requests have one of their own."""
        if self.label is None:
            return Unhandled("no label is named")
        if self.issue.pull_request is not None:
            return Unhandled("the labelled issue is a pull request")
        return IssueLabeled(
            repository=self.where(),
            number=self.issue.number,
            title=self.issue.title,
            body=without_hidden(self.issue.body),
            label=self.label.name,
            sender=self.login,
            sender_is_bot=self.is_bot,
            is_open=self.issue.state == "open",
        )


class _Numbered(Payload):
    number: Id


class Unlabeled(Bound):
    """`issues.unlabeled`. GitHub sends no label where the label itself was deleted."""

    label: LabelField | None = None
    issue: _Numbered

    def event(self) -> IssueUnlabeled | Unhandled:
        """The event."""
        if self.label is None:
            return Unhandled("the label was deleted")
        return IssueUnlabeled(self.where(), self.issue.number, self.label.name, self.login, sender_is_bot=self.is_bot)


class Ended(Bound):
    """`issues.closed`, `issues.deleted`, `issues.transferred`."""

    action: Word
    issue: _Numbered

    def event(self) -> IssueEnded:
        """The event."""
        return IssueEnded(self.where(), self.issue.number, self.action, self.login, sender_is_bot=self.is_bot)


class _Comment(Payload):
    id: Id
    body: Raw = ""


class Commented(Bound):
    """`issue_comment.created`, on issues and on pull requests."""

    comment: _Comment
    issue: _Issue

    def event(self) -> IssueCommented:
        """The event."""
        issue = self.issue
        return IssueCommented(
            repository=self.where(),
            number=issue.number,
            title=issue.title,
            body=without_hidden(issue.body),
            comment=self.comment.body,
            sender=self.login,
            sender_is_bot=self.is_bot,
            is_open=issue.state == "open",
            comment_id=self.comment.id,
            pull_request=issue.pull_request is not None,
            author=author(issue.user),
            mark=mark_of(issue.body),
        )
