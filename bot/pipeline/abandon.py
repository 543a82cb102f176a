"""The end of a job that takes its worker down with it: said on GitHub like every other end."""

import structlog

from bot.errors import RegreenError
from bot.jobs import Job, JobOutcome, State, job_id
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.job import Reviews
from bot.pipeline.ports.store import LastWords
from bot.pipeline.reports import labels
from bot.pipeline.reports.markdown import inline
from bot.pipeline.reports.status import StatusBoard
from bot.pipeline.reports.waiting import still_waiting
from bot.pipeline.texts import Text
from bot.policy import RepoPolicy

REMEDY = (
    "Whoever runs Regreen finds the cause in the worker's log and the kernel's, often too little memory. After that, "
    "put the label on again; a red check starts again with the next commit."
)
BEGIN_ANEW = "Put the label on again, or say `/regreen fix`; a red check starts again with the next commit."
IN_THE_LOG = "Whoever runs Regreen finds the cause in the worker's log."

_log = structlog.get_logger(__name__)


def abandon(job: Job, site: Site, reviews: Reviews, last_words: LastWords, starts: int) -> JobOutcome:
    """End a job that was begun `starts` times in a row without getting on, and show that. Raises no `RegreenError`."""
    cause = f"the worker died {starts} times in a row before this run got any further"
    outcome = JobOutcome(State.FAILED, f"Could not finish: {cause}", stop="Abandoned")

    def say(policy: RepoPolicy) -> None:
        ended, remedy = Text.NOT_FINISHED.say(policy.language, cause=f"{cause}."), Text.WOULD_HELP
        text = f"{ended}\n\n{remedy.say(policy.language, remedy=REMEDY)}"
        board = StatusBoard(job, site.github, policy.language, site.page(job))
        board.final(outcome, text + still_waiting(job, outcome, site.github, reviews, policy.language))
        labels.ended(site.labels, job, outcome.state)

    try:
        site.write(f"the end of {job_id(job)}", say)
    except RegreenError as error:
        _log.error("status_not_written", job=job_id(job), cause=error.cause)
        _keep(job, f"**Could not finish**: {cause}.\n\nWhat would help: {REMEDY}", last_words)
    return outcome


def strand(job: Job, last_words: LastWords) -> JobOutcome:
    """End a job that another version of Regreen, or one of other settings, queued or began; its word is shown later.

    Raises no `RegreenError`.
    """
    headline = "Could not finish: Regreen was updated or set up anew meanwhile"
    text = "**Could not finish**: Regreen was updated, or its settings were changed, while this was queued or under way"
    _keep(job, f"{text}, and it cannot go on from there.\n\nWhat would help: {BEGIN_ANEW}", last_words)
    return JobOutcome(State.FAILED, headline, stop="Updated")


def fail(job: Job, outcome: JobOutcome, last_words: LastWords) -> None:
    """Keep a word for a job whose run broke; it is shown later. Raises no `RegreenError`."""
    _keep(job, f"**{inline(outcome.headline)}**.\n\nWhat would help: {IN_THE_LOG} {BEGIN_ANEW}", last_words)


def _keep(job: Job, text: str, last_words: LastWords) -> None:
    try:
        last_words.keep(job_id(job), text)
    except RegreenError as error:
        _log.error("status_not_written", job=job_id(job), cause=error.cause)
