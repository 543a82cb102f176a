"""The workers that share a database, and how often a job was begun in vain. All times are the database's clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Member:
    """One start of a worker process.

    `executor` is never used again, `version` is that of the engine's records, `slots` how many jobs it works on at
    once, `lease` within how many seconds it must beat.
    """

    executor: str
    host: str
    pid: int
    version: str
    slots: int
    lease: float


@dataclass(frozen=True, slots=True)
class Worker:
    """A member as others see it: times in seconds since the epoch, `silent` in seconds since its last beat.

    `jobs` are those in its hands, each with whether nothing more of it can be seen by others, since it was cancelled.
    """

    member: Member
    started_at: float
    beat_at: float
    silent: float
    draining: bool
    jobs: Mapping[str, bool]

    @property
    def lapsed(self) -> bool:
        """Whether its lease is over by the database's clock: to be shown, since that may have been set."""
        return self.silent > self.member.lease


class Starts(Protocol):
    """How often jobs were begun in a row without getting any further. Nothing here raises."""

    def begin(self, identity: str) -> int:
        """Count a start, before it is made, and return how many there were in a row, this one included."""
        ...

    def got_on(self, identity: str) -> None:
        """Count this job anew: a step was recorded, or the job has ended."""
        ...

    def clear(self) -> None:
        """Count the jobs of this worker anew: it was stopped, not killed."""
        ...


class Fleet(Protocol):
    """Who works, by heartbeats. Every method raises `StoreError`."""

    def enlist(self, member: Member) -> None:
        """Begin, with a first beat."""
        ...

    def beat(self, executor: str, jobs: Mapping[str, bool], *, draining: bool = False) -> bool:
        """Say that a worker lives and what is in its hands; `False` says that it was taken out, for good."""
        ...

    def workers(self) -> tuple[Worker, ...]:
        """All that are enlisted, oldest first, also those whose lease is over and whose jobs nobody took yet."""
        ...

    def bury(self, executor: str, beat_at: float) -> bool:
        """Take out a worker that has not beaten since, so that it cannot any more; whether this call did it."""
        ...

    def leave(self, executor: str) -> None:
        """End in good order."""
        ...

    def close(self) -> None:
        """Close its connections."""
        ...

    def starts(self, executor: str) -> Starts:
        """The counts of starts, which all workers share, for one of them."""
        ...
