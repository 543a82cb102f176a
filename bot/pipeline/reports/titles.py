"""How a job names its change: the first line of the commit and of the pull request, and what the change is for."""

from bot.jobs import FixCheck, FixIssue, FollowUp, Job
from bot.pipeline.reports.markdown import title
from bot.pipeline.texts import Report
from bot.policy import Language
from bot.repair.types import Attempt

MAX_TITLE = 120


def pull_request_title(job: Job, attempt: Attempt, language: Language = "en") -> str:
    """One line, at most 120 characters, from the issue's title or from the first fixed test; see `title`."""
    match job:
        case FixIssue(title=said):
            line = Report.FIX_ISSUE.say(language, title=said)
        case FixCheck(branch=branch):
            line = Report.FIX_CHECK.say(language, branch=branch, what=_first(attempt) or branch)
        case FollowUp(pull_request=number):
            line = Report.FIX_REVIEW.say(language, what=_first(attempt) or number)
    return title(line, MAX_TITLE)


def purpose(job: Job, language: Language = "en") -> str:
    """The sentence that a pull request's body begins with; GitHub reads it, too, and closes the issue."""
    match job:
        case FixIssue(issue=number):
            return f"Fixes #{number}."
        case FixCheck(head_sha=sha, pull_request=number):
            said = Report.PURPOSE_CHECK_OF if number else Report.PURPOSE_CHECK
            return said.say(language, commit=sha[:12], number=number)
        case FollowUp(pull_request=number):
            return Report.PURPOSE_REVIEW.say(language, number=number)


def _first(attempt: Attempt) -> str:
    return next(iter(attempt.comparison.fixed), "")
