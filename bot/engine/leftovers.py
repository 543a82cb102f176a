"""Runs whose row and whose job do not agree, and jobs that no worker can go on with: each is ended now and then."""

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from bot.engine.shift import Shift
from bot.jobs import Job, JobOutcome

GIVEN_UP = "error"
"""The stop of a job whose workflow broke outside of its run."""
FORGET_SECONDS = 900.0
"""For how long a run that was noted is looked for in vain before it is forgotten: longer than it takes to queue it."""
LOOK_SECONDS = 60.0
MOST_OPEN = 10_000
"""How many runs are looked at in one round; the oldest come first."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Leftovers:
    """`take_out` cancels a job in the queue. Methods raise `StoreError`."""

    shift: Shift
    outcome: Callable[[str], JobOutcome | None]
    job: Callable[[str], Job | None]
    take_out: Callable[[str], None]
    _missing: dict[str, float] = field(default_factory=dict)

    def at_start(self) -> None:
        """Before anything is taken. The only worker there is need not wait for others to queue what they noted."""
        self.strand()
        self.reconcile(FORGET_SECONDS if self.shift.crew else 0.0)

    def look(self) -> None:
        """Again."""
        self.strand()
        self.reconcile(FORGET_SECONDS)

    def reconcile(self, patience: float) -> None:
        """End in their rows what has ended, and forget what was noted and never queued: its delivery comes again.

        A worker that was killed between the two leaves either; such a row would keep its subject busy for ever.
        """
        parts, now = self.shift.parts, self.shift.underway.lease.now()
        missing: dict[str, float] = {}
        for identity in parts.line.over(parts.runs.open()[:MOST_OPEN]):
            outcome, job = self.outcome(identity), self.job(identity)
            if outcome is not None:
                parts.runs.ended(identity, outcome)
            if job is None:
                missing[identity] = self._missing.get(identity, now)
            elif outcome is not None and outcome.stop == GIVEN_UP:
                parts.endings.fail(job, outcome)
        for identity in [key for key, since in missing.items() if now - since >= patience]:
            parts.runs.forget(identity)
        self._missing = missing

    def strand(self) -> None:
        """End what waits for a version that no worker has: it would do so for ever, and its repository with it."""
        parts, crew = self.shift.parts, self.shift.crew
        living = {member.version for member in crew.living()} if crew else set()
        for identity, version in parts.line.of_others({parts.version, *living}):
            job = self.job(identity)
            if job is not None:
                parts.runs.ended(identity, parts.endings.strand(job))
            self.take_out(identity)
            _log.warning("job_stranded", job=identity, version=version)
