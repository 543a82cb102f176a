"""What is kept for a while only: the parts of it that a chore removes, a few at a time."""

from collections.abc import Callable, Iterable
from typing import Protocol


class Old(Protocol):
    """Rows that have had their time. Times are seconds since the epoch. Every method raises `StoreError`."""

    def drop_bodies(self, before: float, most: int) -> int:
        """Empty the bodies of so many deliveries decided before then, and return how many; their digests stay."""
        ...

    def runs(self, before: float, most: int) -> tuple[str, ...]:
        """Runs that ended before then, oldest first; not those of which something is still to be said or settled."""
        ...

    def drop_runs(self, identities: tuple[str, ...]) -> None:
        """Remove the rows of these runs."""
        ...

    def drop_wishes(self, before: float, most: int) -> int:
        """Remove so many wishes that were seen to before then, and return how many."""
        ...

    def drop_sessions(self, before: float, most: int) -> int:
        """Forget so many sessions that were signed out of and would have ended before then, and return how many."""
        ...

    def identities(self) -> tuple[str, ...]:
        """Of all runs that have a row."""
        ...

    def oldest_open(self) -> float | None:
        """When the oldest run that has not ended was queued; `None` when all have."""
        ...


class OldLogs(Protocol):
    """The part of the run logs that this needs."""

    def remove(self, identity: str) -> bool:
        """Remove a run's log for good; `False` says that there was none. Raises `LogError`."""
        ...

    def prune(self, before: float, most: int, rows: Callable[[], Iterable[str]]) -> int:
        """Remove so many logs of runs that have no row, last written before then, and return how many.

        `rows` gives the identities of all that have one: their logs go with them, however old. Raises what it raises.
        """
        ...


class OldArtifacts(Protocol):
    """The part of the artifacts that this needs."""

    def prune(self, before: float, most: int) -> int:
        """Remove so many artifacts that were put last before then, and return how many. Raises `StoreError`."""
        ...


class EndedJobs(Protocol):
    """The engine's records of jobs that have ended."""

    def erase(self, identities: tuple[str, ...]) -> None:
        """Remove these jobs' records, if they have ended. Raises `StoreError`."""
        ...
