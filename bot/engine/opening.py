"""What the engine is set up with, and how the shift of a start is put together: alone on SQLite, or among others."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot.engine.crew import Crew, enlisted
from bot.engine.database import connect, use_write_ahead_log
from bot.engine.lease import HELD, Lease
from bot.engine.line import ALONE, Line
from bot.engine.rounds import Told, unheard
from bot.engine.shift import Parts, Shift
from bot.engine.starts import FileStarts
from bot.engine.turns import Limits
from bot.engine.underway import Underway
from bot.errors import ConfigurationError
from bot.pipeline.ports.fleet import Fleet

PartsWith = Callable[..., Parts]
"""Takes a `line`."""


@dataclass(frozen=True, slots=True)
class DurableSettings:
    """Where the engine keeps its database and lock, and how many repositories are worked on at once.

    `url` is SQLAlchemy's address of the Postgres that all workers share, empty for SQLite in the data directory.
    `lease` is how many seconds without a word from a worker others leave its jobs alone. `told` is as in `Rounds`.
    `connections` is how many to Postgres the jobs' steps share.
    """

    data_dir: Path
    parallel_jobs: int = 2
    url: str = field(default="", repr=False)
    limits: Limits = field(default_factory=Limits)
    lease: float = 60.0
    told: Told = unheard
    connections: int = 8

    @property
    def idle(self) -> float:
        """After how many seconds Postgres ends a transaction that nobody goes on with: before others take the jobs."""
        return self.lease * HELD


def alone(parts: PartsWith, settings: DurableSettings) -> Shift:
    """On SQLite, whoever holds the lock. What an earlier start had taken has its turn like what waits."""
    database = settings.data_dir / "engine.sqlite"
    use_write_ahead_log(database)
    line = Line(connect(f"sqlite:///{database}"))
    # before DBOS looks at it, whose recovery knows no turns
    if line.exists():
        line.give_back(ALONE)
    return Shift(parts(line=line), ALONE, FileStarts(settings.data_dir / "starts"), Underway())


def shared(parts: PartsWith, settings: DurableSettings, fleet: Fleet | None) -> Shift:
    """On Postgres, under an id that nobody ever had. Raises `ConfigurationError` without a fleet."""
    if fleet is None:
        raise ConfigurationError("Nothing tells one worker of another", "Give the engine a fleet.")
    these = parts(line=Line(connect(settings.url, settings.idle)))
    member = enlisted(these.version, these.slots, settings.lease)
    underway = Underway(Lease(settings.lease))
    crew = Crew(fleet, member, underway)
    return Shift(these, member.executor, fleet.starts(member.executor), underway, crew)
