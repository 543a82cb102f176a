"""What a command leads to, by where it was written: an issue, one of our pull requests, or anybody else's."""

from dataclasses import dataclass

from bot.acts import Act, Answer, Cancel, Hold, What
from bot.events import IssueCommented, PullRequest, Repository, ReviewCommented, Reviewed
from bot.jobs import FixCheck, FixIssue, FollowUp, Job
from bot.own_branches import is_own as own_branch
from bot.requests import Request, Word, parse
from bot.triggers.ours import marked, subject_of
from bot.triggers.values import Ignore, Known, Operator
from bot.visible import without_hidden

MAX_SAID = 16_000
STARTING = frozenset({Word.FIX, Word.RETRY, Word.APPROVE})

_TELLING = {Word.STATUS: What.STATUS, Word.EXPLAIN: What.EXPLAIN, Word.HELP: What.HELP}

Commented = IssueCommented | Reviewed | ReviewCommented
"""The events that may hold a command."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command was written; `ours` says that it is one of the App's own pull requests."""

    repository: Repository
    number: int
    about: str
    sender: str
    comment_id: int
    is_open: bool
    ours: bool


def requested(event: Commented) -> Request | None:
    """The command that a comment holds."""
    return parse(event.comment if isinstance(event, IssueCommented) else event.text)


def place(event: Commented, operator: Operator, pull: PullRequest | None = None) -> Place:
    """Where a comment was written; `pull` is the pull request, where it was looked up."""
    if isinstance(event, IssueCommented):
        ours = _own(event, operator, pull) if event.pull_request else ""
        others = f"pull-{event.number}" if event.pull_request else f"issue-{event.number}"
        number, is_open, comment = event.number, event.is_open, event.comment_id
    else:
        ours, others = subject_of(event.pull, operator), f"pull-{event.pull.number}"
        number, is_open = event.pull.number, event.pull.is_open
        # A review has an id of its own kind, which no comment has.
        comment = event.comment_id if isinstance(event, ReviewCommented) else 0
    return Place(event.repository, number, ours or others, event.sender, comment, is_open, bool(ours))


def _own(event: IssueCommented, operator: Operator, pull: PullRequest | None) -> str:
    return subject_of(pull, operator) if pull else marked(event.author, event.mark, "", operator)


def command(
    request: Request, event: Commented, operator: Operator, delivery_id: str, known: Known
) -> Job | Act | Ignore:
    """What somebody who may ask gets."""
    where = place(event, operator, known.pull)
    if request.word not in STARTING:
        return _act(request, where)
    if not where.is_open:
        return Ignore("the issue or pull request is closed")
    if isinstance(event, IssueCommented) and not event.pull_request:
        return _issue(request, event, delivery_id)
    if request.word is Word.APPROVE:
        return Ignore("there is nothing to approve on a pull request")
    pull = known.pull if isinstance(event, IssueCommented) else event.pull
    if pull is None:
        return Ignore("the pull request could not be seen")
    said = event.comment if isinstance(event, IssueCommented) else event.text
    return on_pull(where, pull, delivery_id, said)


def on_pull(where: Place, pull: PullRequest, delivery_id: str, said: str = "") -> Job | Ignore:
    """The job for a pull request that a person asks about: a follow-up on ours, a fix for the red checks of another."""
    if not pull.is_open:
        return Ignore("the pull request is closed")
    if where.ours:
        return FollowUp(
            delivery_id=delivery_id,
            installation_id=where.repository.installation_id,
            repository=where.repository.full_name,
            pull_request=pull.number,
            about=where.about,
            head_branch=pull.head_branch,
            review=0,
            sender=where.sender,
            text=without_hidden(said)[:MAX_SAID],
            repository_id=where.repository.repository_id,
            asked=True,
        )
    if not pull.is_fork and own_branch(pull.head_branch):
        return Ignore("the branch is the App's own, and the pull request is another's")
    return FixCheck(
        delivery_id=delivery_id,
        installation_id=where.repository.installation_id,
        repository=where.repository.full_name,
        branch=pull.head_branch,
        head_sha=pull.head_sha,
        suite_id=0,
        sender=where.sender,
        repository_id=where.repository.repository_id,
        pull_request=pull.number,
        asked=True,
    )


def _issue(request: Request, event: IssueCommented, delivery_id: str) -> FixIssue:
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
        approves=request.argument if request.word is Word.APPROVE else None,
        asked=True,
    )


def _act(request: Request, where: Place) -> Act:
    repository, installation = where.repository.full_name, where.repository.installation_id
    about, number, sender, comment = where.about, where.number, where.sender, where.comment_id
    if request.word is Word.STOP:
        why = "somebody who may write to the repository said to stop"
        return Cancel(repository, installation, about, number, sender, why, asked=True, comment_id=comment)
    if request.word in {Word.PAUSE, Word.RESUME}:
        paused = request.word is Word.PAUSE
        return Hold(repository, installation, about, number, sender, paused=paused, comment_id=comment)
    return Answer(repository, installation, about, number, sender, _TELLING[request.word], comment)
