"""A job that was decided on gets its place in the queue: one active run a subject, whoever asks and however often."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot.errors import CredentialsError, GitHubError, GitHubUnavailableError
from bot.jobs import FixCheck, FixIssue, FollowUp, Job, JobEngine, job_id
from bot.pipeline.intake.settle import RecoveredError
from bot.pipeline.intake.site import SiteFor
from bot.pipeline.ports.store import Inbox, Runs
from bot.pipeline.reports.markdown import marker
from bot.pipeline.reports.status import StatusBoard
from bot.pipeline.texts import Text
from bot.policy import RepoPolicy

BUSY_SECONDS, LONGEST_BUSY = 15.0, 240.0
"""How long what is new about a subject waits for the run that is under way, at first and later on."""

_log = structlog.get_logger(__name__)


class NotYetError(Exception):
    """What was decided cannot be done before so many seconds have passed; then it is decided anew.

    Where that is so again and again, each wait is twice as long, up to `most` seconds. `awaits` is the job whose checks
    are waited for.
    """

    def __init__(self, reason: str, seconds: float, most: float = 0.0, awaits: str = "") -> None:
        """`reason` for the log and the inbox."""
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds
        self.most = max(most, seconds)
        self.awaits = awaits


Wait = Callable[[Job], float | None]
"""How many seconds a job had better be decided later, `None` for one that may be queued now.

Raises `RecoveredError` for one that is not needed any more, `GitHubError`.
"""


def at_once(_job: Job) -> float | None:
    """For jobs that wait for nothing."""
    return None


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a job: a line for the log and the inbox, and the run's id where the job is queued."""

    said: str
    identity: str | None = None


@dataclass(frozen=True, slots=True)
class Intake:
    """Queues jobs."""

    engine: JobEngine
    runs: Runs
    site_for: SiteFor
    inbox: Inbox
    wait: Wait = at_once

    def take(self, job: Job) -> Taken:
        """Queue the job, unless a run about its subject is queued or works: then say so to who asked.

        What says something new, such as a review or a new commit's red checks, is not lost: it waits for that run.
        Raises `NotYetError`, `GitHubError`, `StoreError`.
        """
        identity = job_id(job)
        asks = self.inbox.awaiting(identity) or job.delivery_id
        if asks != job.delivery_id:
            # it stays undecided for as long as it waits, whichever worker looks at it
            return Taken(f"the delivery {asks} waits for the same checks")
        try:
            self._await_its_time(identity, job)
        except RecoveredError:
            # The id stays free, so that a commit that gets red again has its run.
            return Taken("the checks of the commit are not red any more")
        active = self._active(identity, job)
        if active == identity:
            self._say_that_it_waits(job)
            # After the row: an engine may have ended the job before `enqueue` returns.
            return Taken("queued", self.engine.enqueue(job))
        if _is_news(job, self.engine.job(active)):
            raise NotYetError(f"the run {active} is queued or works", BUSY_SECONDS, LONGEST_BUSY)
        self._tell(job)
        return Taken(f"the run {active} is queued or works already")

    def _await_its_time(self, identity: str, job: Job) -> None:
        try:
            seconds = self.wait(job)
        except (GitHubUnavailableError, CredentialsError):
            raise
        except GitHubError:
            # what cannot be looked at is not waited for: the job says so
            return
        if seconds is not None:
            raise NotYetError("checks of the commit are still at work", seconds, awaits=identity)

    def _active(self, identity: str, job: Job) -> str:
        active = self.runs.started(identity, job)
        if active == identity:
            return active
        outcome = self.engine.outcome(active)
        if outcome is not None:
            # Its engine gave it up without a word to the row.
            self.runs.ended(active, outcome)
        elif self.engine.job(active) is None:
            # Its delivery failed between the row and the queue, and may never come back: it must not block its subject.
            self.runs.forget(active)
        else:
            return active
        return self.runs.started(identity, job)

    def _say_that_it_waits(self, job: Job) -> None:
        """Before it is queued: from then on its own steps say how it stands.

        A courtesy: what keeps it from being said must not keep the job, whose row is there already, out of the queue.
        """
        others = len(self.runs.active(job.installation_id, (job.repository,))) - 1
        if others < 1 or self.engine.job(job_id(job)) is not None:
            return
        site = self.site_for(job.repository, job.installation_id)

        def say(policy: RepoPolicy) -> None:
            step = Text.WAITING_ITS_TURN.say(policy.language, others=others)
            StatusBoard(job, site.github, policy.language, site.page(job)).working(step)

        try:
            site.write("that it waits", say)
        except GitHubError as error:
            _log.warning("wait_not_shown", job=job_id(job), cause=error.cause)

    def _tell(self, job: Job) -> None:
        number = job.issue if isinstance(job, FixIssue) else job.pull_request
        if job.asked and number:
            mark, site = marker("answer", job.delivery_id), self.site_for(job.repository, job.installation_id)
            text = "A run about this is queued or works already; its status comment says how it ends."
            site.write("an answer", lambda _: site.github.put_comment(number, mark, f"{mark}\n{text}"))


def _is_news(job: Job, active: Job | None) -> bool:
    match job:
        case FixCheck(asked=False):
            return not (isinstance(active, FixCheck) and active.head_sha == job.head_sha)
        case FollowUp(asked=False):
            return True
        case _:
            return False
