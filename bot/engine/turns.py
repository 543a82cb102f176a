"""Whose turn it is: the order in which jobs that wait are begun, and what keeps them waiting. Pure.

One job of a repository at a time. A review goes before red CI, and red CI before the backlog; of equals within a
repository the one that came first does, between repositories the one whose last turn is longest ago. Each `PATIENCE` of
waiting counts as much as a step of importance, within a repository (see `Line`) and between them, so that no stream of
important jobs keeps a less important one out for ever.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.jobs import FixCheck, FixIssue, FollowUp, Job

PATIENCE = 1_800.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How many jobs may be under way at once, of all workers and of one installation of the App; 0 is no limit."""

    jobs: int = 0
    installation: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job stands: written beside each job in the queue as one word, `installation repository`."""

    repository: str
    installation: str = ""

    @classmethod
    def of(cls, job: Job) -> "Place":
        """A job's."""
        return cls(job.repository, str(job.installation_id))

    @classmethod
    def read(cls, word: str) -> "Place":
        """It again; what was queued before there was an installation in it has none."""
        installation, _, repository = word.rpartition(" ")
        return cls(repository, installation)

    def __str__(self) -> str:
        """The word."""
        return f"{self.installation} {self.repository}"


@dataclass(frozen=True, slots=True)
class Waiting:
    """The first of a place's jobs that wait; `waited` in seconds. One that was `begun` goes on before all others."""

    identity: str
    place: Place
    importance: int
    waited: float
    begun: bool = False


def importance(job: Job) -> int:
    """The lower the sooner."""
    match job:
        case FollowUp():
            return 1
        case FixCheck():
            return 2
        case FixIssue():
            return 3


def choose(
    waiting: Iterable[Waiting], under_way: Mapping[str, str], served: Mapping[str, float], room: int, limits: Limits
) -> tuple[str, ...]:
    """The jobs to begin now, at most `room`.

    `under_way` has the installation of each repository that has a job under way, empty where it is not known. `served`
    says when a repository had its last turn, of those that ever had one.
    """

    def turn(one: Waiting) -> tuple[bool, int, float, float]:
        rank = one.importance - int(one.waited / PATIENCE)
        return (not one.begun, rank, served.get(one.place.repository, 0.0), -one.waited)

    busy, installations = set(under_way), Counter(filter(None, under_way.values()))
    chosen: list[str] = []
    for one in sorted(waiting, key=turn):
        repository, installation = one.place.repository, one.place.installation
        if len(chosen) >= room or 0 < limits.jobs <= len(busy):
            break
        full = 0 < limits.installation <= installations[installation]
        if repository in busy or (installation and full):
            continue
        busy.add(repository)
        installations[installation] += 1
        chosen.append(one.identity)
    return tuple(chosen)
