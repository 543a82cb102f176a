"""What an event leads to. Pure: everything that had to be looked up comes in as a plain value."""

import re
from dataclasses import dataclass, replace

from bot.events import CheckSuiteCompleted, Event, IssueCommented, IssueLabeled, Unhandled
from bot.jobs import FixCheck, FixIssue, Job
from bot.policy import RepoPolicy

RED = frozenset({"failure", "timed_out"})
"""Check suite conclusions that a fix can answer; `cancelled`, `stale` and the rest say nothing about the code."""


_APPROVE = re.compile(r"/regreen[ \t]{1,9}approve(?:[ \t]{1,9}([0-9a-f]{8,64}))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ignore:
    """Nothing is done, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Operator:
    """What the operator decided, as far as triggers need it: the App's id and the label that starts a fix."""

    app_id: int
    label: str


def prefilter(event: Event, operator: Operator) -> Ignore | None:
    """Why an event cannot lead to a job whatever policy and permissions say; `None` when it might."""
    match event:
        case Unhandled(reason=reason):
            return Ignore(reason)
        case IssueLabeled(is_open=False):
            return Ignore("the issue is closed")
        case IssueLabeled(sender_is_bot=True):
            return Ignore("the label was put on by a bot")
        case IssueLabeled():
            return None
        case IssueCommented():
            return _comment_prefilter(event)
        case CheckSuiteCompleted():
            return _suite_prefilter(event, operator)


def _comment_prefilter(event: IssueCommented) -> Ignore | None:
    if event.sender_is_bot:
        return Ignore("the comment was written by a bot")
    if approved(event.comment) is None:
        return Ignore("the comment holds no command")
    return None if event.is_open else Ignore("the issue is closed")


def approved(comment: str) -> str | None:
    """What `/regreen approve`, alone on a comment's first line, approves: a digest's first digits, or nothing named.

    `None` where the comment is no approval: quoted, further down, or with other words on the line.
    """
    found = _APPROVE.fullmatch(comment.strip().partition("\n")[0].rstrip())
    return (found[1] or "").lower() if found else None


def _suite_prefilter(event: CheckSuiteCompleted, operator: Operator) -> Ignore | None:
    if event.app_id == operator.app_id:
        return Ignore("the check suite is the App's own")
    if event.conclusion not in RED:
        return Ignore("the check suite did not fail")
    if event.head_branch != event.repository.default_branch:
        return Ignore("the check suite is not on the default branch")
    return None


def decide(event: Event, delivery_id: str, policy: RepoPolicy, operator: Operator, *, may_write: bool) -> Job | Ignore:
    """The job that an event starts, or why it starts none.

    `may_write` says whether the sender may write to the repository now; only labels and comments ask for it, since a
    commit on the default branch has shown it already. A sender without it never starts a job by either.
    """
    refusal = prefilter(event, operator)
    if refusal:
        return refusal
    if not policy.enabled:
        return Ignore("the policy file switches the bot off")
    match event:
        case IssueLabeled():
            return _labeled(event, delivery_id, policy.label or operator.label, may_write=may_write)
        case IssueCommented():
            return _approval(event, delivery_id, may_write=may_write)
        case CheckSuiteCompleted():
            return _red_suite(event, delivery_id) if policy.ci else Ignore("the policy file switches red checks off")
        case Unhandled(reason=reason):
            return Ignore(reason)


def _labeled(event: IssueLabeled, delivery_id: str, label: str, *, may_write: bool) -> Job | Ignore:
    # GitHub compares label names without regard to case.
    if event.label.casefold() != label.casefold():
        return Ignore("another label")
    return _fix_issue(event, delivery_id, may_write=may_write)


def _approval(event: IssueCommented, delivery_id: str, *, may_write: bool) -> Job | Ignore:
    job = _fix_issue(event, delivery_id, may_write=may_write)
    return replace(job, approves=approved(event.comment)) if isinstance(job, FixIssue) else job


def _fix_issue(event: IssueLabeled | IssueCommented, delivery_id: str, *, may_write: bool) -> FixIssue | Ignore:
    if not may_write:
        return Ignore("the sender may not write to the repository")
    return FixIssue(
        delivery_id=delivery_id,
        installation_id=event.repository.installation_id,
        repository=event.repository.full_name,
        default_branch=event.repository.default_branch,
        issue=event.number,
        title=event.title,
        body=event.body,
        sender=event.sender,
        repository_id=event.repository.repository_id,
    )


def _red_suite(event: CheckSuiteCompleted, delivery_id: str) -> Job:
    return FixCheck(
        delivery_id=delivery_id,
        installation_id=event.repository.installation_id,
        repository=event.repository.full_name,
        branch=event.head_branch,
        head_sha=event.head_sha,
        suite_id=event.suite_id,
        sender=event.sender,
        repository_id=event.repository.repository_id,
    )
