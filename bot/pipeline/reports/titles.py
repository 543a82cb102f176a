"""How a job names its change: the first line of the commit and of the pull request, and what the change is for."""

from bot.jobs import FixCheck, FixIssue, FollowUp, Job
from bot.pipeline.reports.markdown import title
from bot.repair.types import Attempt

MAX_TITLE = 120


def pull_request_title(job: Job, attempt: Attempt) -> str:
    """One line, at most 120 characters, from the issue's title or from the first fixed test; see `title`."""
    match job:
        case FixIssue(title=said):
            return title(f"Fix: {said}", MAX_TITLE)
        case FixCheck(branch=branch):
            return title(f"Fix red check on {branch}: {_first(attempt) or branch}", MAX_TITLE)
        case FollowUp(pull_request=number):
            return title(f"Follow up on the review: {_first(attempt) or number}", MAX_TITLE)


def purpose(job: Job) -> str:
    """The sentence that a pull request's body begins with; GitHub reads it, too, and closes the issue."""
    match job:
        case FixIssue(issue=number):
            return f"Fixes #{number}."
        case FixCheck(head_sha=sha, pull_request=number):
            return f"Turns the red checks of {sha[:12]} green{f', for #{number}' if number else ''}."
        case FollowUp(pull_request=number):
            return f"Follows up on #{number}."


def _first(attempt: Attempt) -> str:
    return next(iter(attempt.comparison.fixed), "")
