"""The chore that removes what has had its time, and nothing that a run under way or a delivery to come has need of."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.pipeline.ports.keeping import EndedJobs, Old, OldArtifacts, OldLogs

DAY = 86_400.0
FEW, MOST_ROUNDS = 100, 50
"""How much one transaction removes, and how many of them one look takes; the next look goes on."""


@dataclass(frozen=True, slots=True)
class KeepFor:
    """Days for which runs are kept after their end, and bodies of deliveries after their decision; 0: for ever."""

    runs: float
    bodies: float


@dataclass(frozen=True, slots=True)
class Removed:
    """How much one look removed."""

    bodies: int = 0
    runs: int = 0
    logs: int = 0
    artifacts: int = 0
    wishes: int = 0
    sessions: int = 0

    def __bool__(self) -> bool:
        """Whether there was anything."""
        return any((self.bodies, self.runs, self.logs, self.artifacts, self.wishes, self.sessions))


@dataclass(frozen=True, slots=True)
class Keeping:
    """Removes; one at a time is enough. `now` gives seconds since the epoch."""

    terms: KeepFor
    old: Old
    logs: OldLogs
    artifacts: OldArtifacts
    jobs: EndedJobs
    now: Callable[[], float]

    def look(self) -> Removed:
        """Remove what is due, within bounds. Raises `StoreError`, `LogError`."""
        bodies = 0
        # whatever is kept for ever: past its own end a session opens nothing, by any clock that is right to the day
        sessions = _rounds(self.old.drop_sessions, self.now() - DAY)
        if self.terms.bodies:
            bodies = _rounds(self.old.drop_bodies, self.now() - DAY * self.terms.bodies)
        if not self.terms.runs:
            return Removed(bodies, sessions=sessions)
        before = self.now() - DAY * self.terms.runs
        runs = _rounds(self._drop_runs, before)
        wishes, unneeded = _rounds(self.old.drop_wishes, before), self._unneeded(before)
        logs, artifacts = _rounds(self._prune_logs, unneeded), _rounds(self.artifacts.prune, unneeded)
        return Removed(bodies, runs, logs, artifacts, wishes, sessions)

    def _drop_runs(self, before: float, most: int) -> int:
        """The row goes last: what a crash leaves of a run is found by it."""
        found = self.old.runs(before, most)
        if found:
            for identity in found:
                self.logs.remove(identity)
            self.jobs.erase(found)
            self.old.drop_runs(found)
        return len(found)

    def _prune_logs(self, before: float, most: int) -> int:
        return self.logs.prune(before, most, self.old.identities)

    def _unneeded(self, before: float) -> float:
        """Before what logs and artifacts are in nobody's use: a run writes all that it needs after it was queued.

        The clocks of two machines may differ, by less than a day.
        """
        oldest = self.old.oldest_open()
        return before if oldest is None else min(before, oldest - DAY)


def _rounds(remove: Callable[[float, int], int], before: float) -> int:
    total = 0
    for _ in range(MOST_ROUNDS):
        removed = remove(before, FEW)
        total += removed
        if removed < FEW:
            break
    return total
