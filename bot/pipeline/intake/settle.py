"""When what CI says of a commit is its last word. Pure but for one question to GitHub."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.jobs import FixCheck, Job
from bot.pipeline.ports.checks import Checks, CommitChecks

SHORTEST_WAIT = 10.0
LONGEST_WAIT = 300.0
MOST_SECONDS = 3600.0
"""After so long without any news of a commit's checks, what is known is acted on: some never end."""
MOST_ALTOGETHER = 6 * 3600.0
"""As long after the first red one, news or not: workflows on a timer run on the same commit again and again."""

_AT_WORK = frozenset({"queued", "in_progress", "pending", "requested"})
"""States that end by themselves. One that `waiting` is waits for a person, who may take for ever."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Nothing is at work any more."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Look again after so many seconds: this is still at work."""

    seconds: float
    for_what: str


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Something is still at work, and nothing was heard of the commit's checks for longer than the bound."""

    for_what: str


class RecoveredError(Exception):
    """The commit is not red any more: there is nothing to do, unless it gets red again."""


Verdict = Settled | Wait | GaveUp


def settle(checks: CommitChecks, now: float) -> Verdict:
    """Whether the commit's suites, workflow runs and statuses have all come to an end; `now` in epoch seconds.

    A wait grows with the time since the last news, so that a long suite is not asked after every few seconds. It all
    ends after `MOST_SECONDS` without news, or `MOST_ALTOGETHER`, however many restarts of the worker lie between.
    """
    at_work = next(_at_work(checks), "")
    if not at_work:
        return Settled()
    silent, red = now - max(_news(checks), default=now), now - min(_red(checks), default=now)
    if silent >= MOST_SECONDS or red >= MOST_ALTOGETHER:
        return GaveUp(at_work)
    return Wait(min(max(SHORTEST_WAIT, silent / 2), LONGEST_WAIT), at_work)


def wait(job: Job, checks: Checks, now: float) -> float | None:
    """How many seconds to put the job off, `None` when it may start. Only red checks are waited for.

    A person who asks for one is not made to wait. Raises `RecoveredError`, and what `Checks.of_commit` does.
    """
    if not isinstance(job, FixCheck) or job.asked:
        return None
    said = checks.of_commit(job.head_sha)
    if recovered(said):
        raise RecoveredError
    verdict = settle(said, now)
    return verdict.seconds if isinstance(verdict, Wait) else None


def recovered(checks: CommitChecks) -> bool:
    """Whether everything ended and nothing is red: what was red ran again. Where nothing at all is known, it is not."""
    known = bool(checks.suites or checks.statuses)
    return known and not checks.red and not any(_at_work(checks))


def _at_work(checks: CommitChecks) -> Iterator[str]:
    for suite in checks.suites:
        # GitHub makes a suite for every App that is installed: most never run anything, and stay queued for ever.
        if suite.status in _AT_WORK and suite.runs:
            yield f"a check suite of {suite.app}"
    for run in checks.runs:
        if run.status in _AT_WORK:
            yield f"the workflow {run.name}"
    for status in checks.statuses:
        if status.state == "pending":
            yield f"the status {status.context}"


def _red(checks: CommitChecks) -> Iterator[float]:
    yield from (suite.updated for suite in checks.suites if suite.red)
    yield from (status.updated for status in checks.red_statuses)


def _news(checks: CommitChecks) -> Iterator[float]:
    for known in (checks.suites, checks.runs, checks.statuses):
        yield from (one.updated for one in known)
