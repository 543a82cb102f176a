"""What people say in reviews of the App's own pull requests."""

from bot.events import ReviewCommented, Reviewed, ThreadReopened
from bot.jobs import FollowUp, Job
from bot.triggers.commands import MAX_SAID
from bot.triggers.ours import subject_of
from bot.triggers.values import Ignore, Operator
from bot.visible import without_hidden

CHANGES = "changes_requested"

Said = Reviewed | ReviewCommented | ThreadReopened


def prefilter(event: Said, operator: Operator) -> Ignore | None:
    """Why a review leads to nothing, whoever wrote it."""
    if not subject_of(event.pull, operator):
        return Ignore("the pull request is not the App's own")
    if not event.pull.is_open:
        return Ignore("the pull request is closed")
    if isinstance(event, Reviewed) and event.verdict != CHANGES:
        # Comments on its lines have deliveries of their own.
        return Ignore("the review requests no changes")
    return None


def follow_up(event: Said, operator: Operator, delivery_id: str) -> Job:
    """One job for a review with all its comments, whichever of its deliveries comes first."""
    return FollowUp(
        delivery_id=delivery_id,
        installation_id=event.repository.installation_id,
        repository=event.repository.full_name,
        pull_request=event.pull.number,
        about=subject_of(event.pull, operator),
        head_branch=event.pull.head_branch,
        review=0 if isinstance(event, ThreadReopened) else event.review,
        sender=event.sender,
        text="" if isinstance(event, ThreadReopened) else without_hidden(event.text)[:MAX_SAID],
        repository_id=event.repository.repository_id,
        thread=event.thread if isinstance(event, ThreadReopened) else 0,
    )
