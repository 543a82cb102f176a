"""What ends jobs, and what the App may reach: acts that need nobody's permission, since they are facts."""

from bot.acts import Act, Cancel, CheckPolicy, Greet, Leave
from bot.events import InstallationChanged, IssueEnded, IssueUnlabeled, PullRequestClosed, Pushed, RepositoryLeft
from bot.triggers.ours import subject_of
from bot.triggers.values import Operator

_GONE = frozenset({"deleted", "transferred"})


def fact(
    event: InstallationChanged | RepositoryLeft | Pushed | IssueEnded | PullRequestClosed, operator: Operator
) -> Act:
    """What follows from what is so now, whoever did it."""
    if isinstance(event, IssueEnded | PullRequestClosed):
        return _ended(event, operator)
    return _scope(event)


def _scope(event: InstallationChanged | RepositoryLeft | Pushed) -> Act:
    match event:
        case Pushed():
            there = event.repository
            return CheckPolicy(there.full_name, there.installation_id, there.default_branch, event.head_sha)
        case RepositoryLeft():
            return Leave(event.installation_id, (event.former,), f"the repository was {event.how}", event.how)
        case InstallationChanged(reachable=True):
            return Greet(event.installation_id, event.repositories)
        case InstallationChanged():
            what = "the repository was removed from the installation" if event.repositories else "the installation was "
            ends = {"suspend": "suspended", "deleted": "deleted"}
            return Leave(
                event.installation_id,
                event.repositories,
                what if event.repositories else f"{what}{ends.get(event.how, 'ended')}",
                event.how,
            )


def _ended(event: IssueEnded | PullRequestClosed, operator: Operator) -> Cancel:
    there, closed = event.repository, 0
    if isinstance(event, IssueEnded):
        # Nothing can be said where there is no issue any more.
        number = 0 if event.how in _GONE else event.number
        about, why = f"issue-{event.number}", f"the issue was {event.how}"
    else:
        number = closed = event.pull.number
        about = subject_of(event.pull, operator) or f"pull-{number}"
        why = f"the pull request was {'merged' if event.merged else 'closed'}"
    return Cancel(there.full_name, there.installation_id, about, number, event.sender, why, closed=closed)


def unlabeled(event: IssueUnlabeled) -> Cancel:
    """The end of what runs about an issue whose label was taken off."""
    there = event.repository
    return Cancel(
        there.full_name,
        there.installation_id,
        f"issue-{event.number}",
        event.number,
        event.sender,
        "the label was taken off",
    )
