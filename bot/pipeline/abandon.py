"""The end of a job that takes its worker down with it: said on GitHub like every other end."""

import structlog

from bot.errors import RegreenError
from bot.jobs import Job, JobOutcome, State, job_id
from bot.pipeline import labels
from bot.pipeline.github_port import GitHub
from bot.pipeline.labels import Labels
from bot.pipeline.ports import Reviews
from bot.pipeline.status import StatusBoard
from bot.pipeline.waiting import still_waiting

REMEDY = (
    "Whoever runs Regreen finds the cause in the worker's log and the kernel's, often too little memory. After that, "
    "put the label on again; a red check starts again with the next commit."
)
_log = structlog.get_logger(__name__)


def abandon(job: Job, github: GitHub, borne: Labels, reviews: Reviews, starts: int) -> JobOutcome:
    """End a job that was begun `starts` times in a row without getting on, and show that. Raises no `RegreenError`."""
    cause = f"the worker died {starts} times in a row before this run got any further"
    outcome = JobOutcome(State.FAILED, f"Could not finish: {cause}", stop="Abandoned")
    text = f"**Could not finish**: {cause}.\n\nWhat would help: {REMEDY}"
    try:
        StatusBoard(job, github).final(outcome, text + still_waiting(job, outcome, github, reviews))
    except RegreenError as error:
        _log.error("status_not_written", job=job_id(job), cause=error.cause)
    labels.ended(borne, job, outcome.state)
    return outcome
