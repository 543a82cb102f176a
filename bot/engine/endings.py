"""How jobs end that cannot come to their own end: what the engine is given for each of the ways."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot.errors import RegreenError
from bot.jobs import Job, JobOutcome, State

_log = structlog.get_logger(__name__)


def _given_up(_job: Job, starts: int) -> JobOutcome:
    return JobOutcome(
        State.FAILED, f"Could not finish: the worker was killed {starts} times in a row", stop="Abandoned"
    )


def _stranded(_job: Job) -> JobOutcome:
    return JobOutcome(State.FAILED, "Could not finish: Regreen was updated or set up anew meanwhile", stop="Updated")


def _untold(_job: Job, _outcome: JobOutcome) -> None:
    return


def _nothing(_identity: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class Endings:
    """Nothing is told by default.

    `abandon` ends a job that began so many times in vain: it tells those who wait for it, and returns its outcome.
    `strand` does so for a job that Regreen began, or queued, in another version or with other settings, and cannot go
    on with; it may be called before anything else is. `fail` tells of an outcome that the engine gave a job whose run
    broke. `kill` ends at once what a job of this identity runs, and lets it start nothing more. None of them raises
    anything.
    """

    abandon: Callable[[Job, int], JobOutcome] = _given_up
    strand: Callable[[Job], JobOutcome] = _stranded
    kill: Callable[[str], None] = _nothing
    fail: Callable[[Job, JobOutcome], None] = _untold


def broken(fault: Exception, identity: str) -> JobOutcome:
    """How a job ends whose run raised."""
    if isinstance(fault, RegreenError):
        return JobOutcome(State.FAILED, f"Could not finish: {fault.cause}"[:300], stop=type(fault).__name__)
    _log.error("job_failed", job=identity, exc_info=fault)
    return JobOutcome(State.FAILED, f"A fault in Regreen: {type(fault).__name__}", stop="fault")
