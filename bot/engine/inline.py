"""Runs a job at once in the calling thread, with no durability: for tests and for `regreen fix`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.jobs import Job, JobOutcome, job_id


@dataclass(slots=True)
class InlineEngine:
    """`JobEngine` without a queue: `enqueue` returns when the job has ended."""

    run_job: Callable[[Job], JobOutcome]
    _outcomes: dict[str, JobOutcome | None] = field(default_factory=dict)

    def enqueue(self, job: Job) -> str:
        """Run the job unless its id is known, and return the id."""
        identity = job_id(job)
        if identity not in self._outcomes:
            self._outcomes[identity] = None
            self._outcomes[identity] = self.run_job(job)
        return identity

    def outcome(self, identity: str) -> JobOutcome | None:
        """The outcome of a job that has ended."""
        return self._outcomes.get(identity)
