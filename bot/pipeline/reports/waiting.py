"""Tests that wait for a person's word outlive the comment that showed them: each later end shows them again."""

import structlog

from bot.errors import RegreenError
from bot.jobs import FixIssue, Job, JobOutcome, State, subject
from bot.pipeline.ports.github import GitHub
from bot.pipeline.ports.job import Reviews
from bot.pipeline.reports import review
from bot.pipeline.reports.markdown import marker
from bot.policy import Language

_UNTRIED = frozenset({State.REFUSED, State.FAILED, State.NOT_REPRODUCED, State.CANCELLED})
"""Ends of a run that did nothing with the test that it was to use."""
_OF_ANOTHER = _UNTRIED | {State.GREEN, State.UNSOLVED}
"""Ends of a run that was not about a test which an earlier one had shown."""

_log = structlog.get_logger(__name__)


def still_waiting(job: Job, outcome: JobOutcome, github: GitHub, reviews: Reviews, language: Language = "en") -> str:
    """What to add to a job's last word, which overwrites the comment with the tests that may still be approved.

    Empty for most jobs, and once a pull request for the subject is open. Raises no `RegreenError`: what is said about
    the job matters more.
    """
    if not isinstance(job, FixIssue) or outcome.state not in (_OF_ANOTHER if job.approves is None else _UNTRIED):
        return ""
    try:
        kept = reviews.kept()
        if not kept or any(pull.is_open for pull in github.pull_requests(marker("subject", subject(job)))):
            return ""
    except RegreenError as error:
        _log.warning("kept_tests_not_shown", cause=error.cause)
        return ""
    return review.waiting(kept, language)
