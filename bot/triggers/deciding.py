"""What an event leads to. Pure: everything that had to be looked up comes in as a plain value."""

from typing import assert_never

from bot.acts import Act, Answer, Cancel, What
from bot.events import (
    CheckAsked,
    CommitChecked,
    Event,
    InRepository,
    InstallationChanged,
    IssueCommented,
    IssueEnded,
    IssueLabeled,
    IssueUnlabeled,
    PullRequestClosed,
    PullRequestLabeled,
    Pushed,
    RepositoryLeft,
    ReviewCommented,
    Reviewed,
    ThreadReopened,
    Unhandled,
)
from bot.jobs import FixIssue, Job, subject
from bot.policy import PATH, RepoPolicy
from bot.requests import Word
from bot.triggers import checks, endings, reviews
from bot.triggers.commands import STARTING, Place, command, on_pull, requested
from bot.triggers.ours import is_own, subject_of
from bot.triggers.values import Ignore, Known, Needs, Operator
from bot.triggers.who import permission_of, refusal

_Said = IssueCommented | Reviewed | ReviewCommented | ThreadReopened
_Labels = IssueLabeled | IssueUnlabeled | PullRequestLabeled
_Sent = _Said | _Labels | IssueEnded | PullRequestClosed | CheckAsked
"""What somebody did, whose login may be the App's own."""
_WITHOUT_POLICY = IssueEnded | PullRequestClosed | Pushed


def prefilter(event: Event, operator: Operator) -> Ignore | None:
    """Why an event cannot lead to anything whatever policy and permissions say; `None` when it might."""
    match event:
        case Unhandled(reason=reason):
            return Ignore(reason)
        case InstallationChanged() | RepositoryLeft():
            return None
        case CommitChecked():
            return checks.prefilter(event, operator)
        case Pushed():
            return None if PATH in event.paths or not event.complete else Ignore("the policy file is not touched")
        case _:
            return Ignore("it is the App's own doing") if is_own(event.sender, operator) else _sent(event, operator)


def _sent(event: _Sent, operator: Operator) -> Ignore | None:
    match event:
        case IssueLabeled(is_open=False):
            return Ignore("the issue is closed")
        case PullRequestLabeled(removed=False) if not event.pull.is_open:
            return Ignore("the pull request is closed")
        case IssueCommented() | Reviewed() | ReviewCommented() | ThreadReopened():
            return _said_prefilter(event, operator)
        case CheckAsked():
            return checks.button_prefilter(event, operator)
        case _:
            return None


def _said_prefilter(event: _Said, operator: Operator) -> Ignore | None:
    request = None if isinstance(event, ThreadReopened) else requested(event)
    if request is None:
        return (
            Ignore("the comment holds no command")
            if isinstance(event, IssueCommented)
            else reviews.prefilter(event, operator)
        )
    is_open = event.is_open if isinstance(event, IssueCommented) else event.pull.is_open
    if request.word in STARTING and not is_open:
        return Ignore("the issue or pull request is closed")
    return None


def asks_policy(event: Event) -> bool:
    """Whether the policy file has a say in this event; what ends, and what it is itself about, goes without."""
    return isinstance(event, InRepository) and not isinstance(event, _WITHOUT_POLICY)


def needs(event: Event, policy: RepoPolicy) -> Needs:
    """What has to be looked up for an event that the prefilter let through."""
    match event:
        case CommitChecked():
            return checks.needs(event, policy)
        case IssueUnlabeled() | PullRequestLabeled(removed=True):
            return Needs()
        case IssueLabeled() | PullRequestLabeled() | ThreadReopened() | Reviewed() | ReviewCommented():
            return Needs(permission_of(event.sender, policy, is_bot=event.sender_is_bot))
        case IssueCommented():
            request = requested(event)
            # without a marker its branch has to tell whether it is the App's own, and that no comment's event shows
            wanted = event.pull_request and request is not None and (request.word in STARTING or not event.mark)
            who = permission_of(event.sender, policy, is_bot=event.sender_is_bot)
            return Needs(who, pull=event.number if wanted else 0)
        case CheckAsked():
            who = permission_of(event.sender, policy, is_bot=event.sender_is_bot)
            return checks.button_needs(event, who)
        case _:
            return Needs()


def decide(event: Event, delivery_id: str, operator: Operator, known: Known) -> Job | Act | Ignore:
    """The job or act that an event leads to, or why it leads to none.

    A sender without write access never starts a job, except by a commit on a branch of the repository, which has shown
    it already; nor does the App itself, nor a bot that is not listed, nor anybody on what is closed.
    """
    decided = prefilter(event, operator) or _decided(event, delivery_id, operator, known)
    if isinstance(decided, Job) and known.paused:
        return _held(decided)
    return decided


def _held(job: Job) -> Answer | Ignore:
    if not job.asked:
        return Ignore("a person paused this; `/regreen resume` ends that")
    return Answer(job.repository, job.installation_id, subject(job), _number(job), job.sender, What.PAUSED)


def _number(job: Job) -> int:
    return job.issue if isinstance(job, FixIssue) else job.pull_request


def _decided(event: Event, delivery_id: str, operator: Operator, known: Known) -> Job | Act | Ignore:
    match event:
        case Unhandled(reason=reason):
            return Ignore(reason)
        case InstallationChanged() | RepositoryLeft() | Pushed() | IssueEnded() | PullRequestClosed():
            return endings.fact(event, operator)
        case CommitChecked():
            return checks.red(event, operator, delivery_id, known)
        case CheckAsked():
            stopping = event.action == checks.STOP
            refused = refusal(event.sender, known, is_bot=event.sender_is_bot, stopping=stopping)
            return refused or checks.pressed(event, operator, delivery_id, known)
        case IssueLabeled() | IssueUnlabeled() | PullRequestLabeled():
            return _labeled(event, operator, delivery_id, known)
        case IssueCommented() | Reviewed() | ReviewCommented() | ThreadReopened():
            return _said(event, operator, delivery_id, known)
        case _:
            assert_never(event)


def _labeled(event: _Labels, operator: Operator, delivery_id: str, known: Known) -> Job | Act | Ignore:
    if event.label.casefold() != (known.policy.label or operator.label).casefold():
        return Ignore("another label")
    if isinstance(event, IssueUnlabeled):
        return endings.unlabeled(event)
    where = event.repository
    if isinstance(event, PullRequestLabeled):
        ours = subject_of(event.pull, operator)
        about = ours or f"pull-{event.pull.number}"
        if event.removed:
            why = "the label was taken off"
            return Cancel(where.full_name, where.installation_id, about, event.pull.number, event.sender, why)
        spot = Place(where, event.pull.number, about, event.sender, 0, event.pull.is_open, bool(ours))
        refused = refusal(event.sender, known, is_bot=event.sender_is_bot)
        return refused or on_pull(spot, event.pull, delivery_id)
    return refusal(event.sender, known, is_bot=event.sender_is_bot) or FixIssue(
        delivery_id=delivery_id,
        installation_id=where.installation_id,
        repository=where.full_name,
        default_branch=where.default_branch,
        issue=event.number,
        title=event.title,
        body=event.body,
        sender=event.sender,
        repository_id=where.repository_id,
    )


def _said(event: _Said, operator: Operator, delivery_id: str, known: Known) -> Job | Act | Ignore:
    request = None if isinstance(event, ThreadReopened) else requested(event)
    stopping = request is not None and request.word is Word.STOP
    refused = refusal(event.sender, known, is_bot=event.sender_is_bot, stopping=stopping)
    if refused:
        return refused
    if request is not None and not isinstance(event, ThreadReopened):
        return command(request, event, operator, delivery_id, known)
    if isinstance(event, IssueCommented):
        return Ignore("the comment holds no command")
    return reviews.follow_up(event, operator, delivery_id)
