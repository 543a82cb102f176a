"""Last words that GitHub did not take when their jobs ended: shown later, so that no end goes without a word."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

import structlog

from bot.errors import RegreenError
from bot.jobs import Job, JobEngine, subject
from bot.pipeline.intake.site import SiteFor
from bot.pipeline.ports.store import Runs, Unsaid, Unshown
from bot.pipeline.reports import labels
from bot.pipeline.reports.status import StatusBoard, places

MOST = 20
"""Words of one look."""
MOST_LATER = 50
"""Later runs of a subject that are looked at."""
KEPT_SECONDS = 7 * 86_400.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Retelling:
    """`look` every minute; `now` gives seconds since the epoch."""

    engine: JobEngine
    runs: Runs
    unsaid: Unsaid
    site_for: SiteFor
    now: Callable[[], float]

    def look(self) -> int:
        """Show what is due, oldest first; returns how many were shown. Raises `StoreError`."""
        return sum(self._tell(one) for one in self.unsaid.due(MOST))

    def _tell(self, one: Unshown) -> bool:
        job, outcome = self.engine.job(one.identity), self.engine.outcome(one.identity)
        if job is not None and outcome is None:
            # its worker was killed between the word and the end: it comes to both again
            self.unsaid.later(one.identity)
            return False
        if job is None or outcome is None or self.now() - one.since > KEPT_SECONDS:
            _log.warning("last_word_lost", job=one.identity)
            self.unsaid.done(one.identity)
            return False
        later = self._later(one.identity, job)
        told = frozenset[str]().union(*map(places, later))
        if places(job) <= told:
            self.unsaid.done(one.identity)
            return False
        try:
            site = self.site_for(job.repository, job.installation_id)
            policy = site.house().policy
            if not policy.dry_run:
                StatusBoard(job, site.github, policy.language, site.page(job), told).final(outcome, one.text)
                if not later:
                    labels.ended(site.labels, job, outcome.state)
        except RegreenError as error:
            _log.info("last_word_not_taken", job=one.identity, cause=error.cause)
            self.unsaid.later(one.identity)
            return False
        except Exception:  # noqa: BLE001 - one word must not hold up all others
            _log.exception("last_word_fault", job=one.identity)
            self.unsaid.later(one.identity)
            return False
        self.unsaid.done(one.identity)
        return True

    def _later(self, identity: str, job: Job) -> tuple[Job, ...]:
        """The runs of the subject after this one: what they tell stays, where it is told."""
        newest = self.runs.of_subject(job.repository, subject(job), MOST_LATER)
        after = takewhile(lambda run: run.identity != identity, newest)
        return tuple(found for run in after if (found := self.engine.job(run.identity)) is not None)
