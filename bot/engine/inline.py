"""Runs a job at once in the calling thread, with no durability: for tests and for `regreen fix`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.jobs import Job, JobOutcome, job_id


@dataclass(slots=True)
class InlineEngine:
    """`JobEngine` without a queue: `enqueue` returns when the job has ended."""

    run_job: Callable[[Job], JobOutcome]
    _jobs: dict[str, Job] = field(default_factory=dict)
    _outcomes: dict[str, JobOutcome] = field(default_factory=dict)

    def enqueue(self, job: Job) -> str:
        """Run the job unless its id is known, and return the id."""
        identity = job_id(job)
        if identity not in self._jobs:
            self._jobs[identity] = job
            outcome = self.run_job(job)
            self._outcomes.setdefault(identity, outcome)
        return identity

    def outcome(self, identity: str) -> JobOutcome | None:
        """The outcome of a job that has ended."""
        return self._outcomes.get(identity)

    def job(self, identity: str) -> Job | None:
        """The job of this id."""
        return self._jobs.get(identity)

    def cancel(self, identity: str, outcome: JobOutcome) -> bool:
        """Let a job end so whatever it comes to; there is nothing to end it with."""
        if identity in self._jobs:
            self._outcomes.setdefault(identity, outcome)
        return True
