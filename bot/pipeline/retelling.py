"""Last words that GitHub did not take when their jobs ended: shown later, so that no end goes without a word."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot.errors import RegreenError
from bot.jobs import JobEngine, subject
from bot.pipeline import labels, policyfile
from bot.pipeline.site import SiteFor
from bot.pipeline.status import StatusBoard
from bot.pipeline.store_port import Runs, Unsaid, Unshown

MOST = 20
"""Words of one look."""
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
        newest = self.runs.of_subject(job.repository, subject(job), 1)
        if newest and newest[0].identity != one.identity:
            # the place where it belongs tells of a later run
            self.unsaid.done(one.identity)
            return False
        site = self.site_for(job.repository, job.installation_id)
        try:
            policy = policyfile.read(site.github).policy
            if not policy.dry_run:
                StatusBoard(job, site.github, policy.language).final(outcome, one.text)
                labels.ended(site.labels, job, outcome.state)
        except RegreenError as error:
            _log.info("last_word_not_taken", job=one.identity, cause=error.cause)
            self.unsaid.later(one.identity)
            return False
        self.unsaid.done(one.identity)
        return True
