"""What people look at: the runs that there were and are, what their logs say, and a repository's figures.

Read only. What is shown to whom is decided by whoever asks: `Filter.hidden` leaves repositories out of what is found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from bot.pipeline.logs.runlog import Entry

OPEN = "open"
"""What `Filter.state` and `RunRow.shown` call a run that has not ended."""
MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are meant: all that fit every field, empty ones fit everything.

    `repository` and `subject` are whole names, letters of either case; `state` is a `bot.jobs.State` or `OPEN`; `text`
    occurs, in either case, in headline, title, stop, sender, repository or subject; `prefix` begins the
    identity. `hidden` are globs (`*` and `?`) of repositories that are left out. `before` is the `sequence` of the last
    row of the page before; at most `limit` rows are found, and never more than `MOST_ROWS`.
    """

    repository: str = ""
    state: str = ""
    subject: str = ""
    text: str = ""
    prefix: str = ""
    hidden: tuple[str, ...] = ()
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run. `sequence` grows with each; times are seconds since the epoch, `seconds` is what the run itself took.

    `state`, `headline` and `stop` are empty until it has ended. `worker` is the executor that has or had it, empty
    before that. A run that was stopped or killed told neither `tokens` nor `seconds`, both are 0; its `dollars` are
    what its calls were charged. `title` is that of its issue, where it is known. `in_the_way` is the pull request that
    keeps it from being begun again, as in `Runs.in_the_way`.
    """

    sequence: int
    identity: str
    installation: int
    repository: str
    subject: str
    sender: str
    queued_at: float
    started_at: float | None = None
    ended_at: float | None = None
    worker: str = ""
    state: str = ""
    headline: str = ""
    stop: str = ""
    pull_request: int | None = None
    url: str = ""
    tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    title: str = ""
    in_the_way: int | None = None

    @property
    def shown(self) -> str:
        """Its state, `OPEN` for one that has not ended."""
        return self.state or OPEN

    @property
    def took(self) -> float | None:
        """Its seconds, by its times where it told none; `None` where it never began, or has not ended."""
        if self.seconds or self.started_at is None or self.ended_at is None:
            return self.seconds or None
        return max(self.ended_at - self.started_at, 0.0)

    @property
    def told(self) -> bool:
        """Whether it said itself what it took and cost: a 0 of another one is no figure."""
        return self.seconds > 0


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One day, in UTC, as `2026-11-30`: the runs that ended on it.

    `to_pull_request` are the seconds from the queueing of a run to its end, for each that was published.
    """

    day: str
    states: tuple[tuple[str, int], ...] = ()
    dollars: float = 0.0
    tokens: int = 0
    to_pull_request: tuple[float, ...] = ()

    @property
    def ended(self) -> int:
        """How many ended."""
        return sum(count for _, count in self.states)


@dataclass(frozen=True, slots=True)
class RepositoryFigures:
    """What became of a repository's runs; `days` are all days asked for, the empty ones too, oldest first.

    `open` runs have not ended. `known` says that there was ever a run.
    """

    repository: str
    days: tuple[DayFigures, ...]
    open: int = 0
    known: bool = True


class Reader(Protocol):
    """Reads runs and run logs. Every method raises `StoreError`, or `LogError` where a log does not verify."""

    def runs(self, wanted: Filter) -> tuple[RunRow, ...]:
        """The runs that fit, newest first."""
        ...

    def run(self, identity: str) -> RunRow | None:
        """One run by its whole identity, `None` where there is none."""
        ...

    def repositories(self, limit: int, hidden: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The repositories that had runs, those of the newest runs first, but for the hidden ones, see `Filter`."""
        ...

    def entries(self, identity: str, after: int) -> tuple[Entry, ...]:
        """What a run's log holds after the line with this number, -1 for all; empty for a run without a log.

        Payloads of calls, of which a replay has need, are left out. Of a log with a line that does not verify,
        the `ChangedLogError` that is raised holds the entries before it.
        """
        ...

    def artifact(self, identity: str, name: str) -> bytes | None:
        """One of `RunView.artifacts` by its name, `None` where there is none."""
        ...

    def log(self, identity: str) -> Iterator[bytes]:
        """A run's whole log by pieces, however large it is; none where there is no log."""
        ...

    def repository(self, name: str, days: int) -> RepositoryFigures:
        """A repository's figures for so many days, today included."""
        ...


class RunLogs(Protocol):
    """The run logs as lines, wherever they are kept."""

    def lines(self, identity: str, first: int) -> tuple[bytes, ...]:
        """A log's whole lines from the one with this number on, each with its end; none where there is no log.

        Raises `LogError`, `StoreError`.
        """
        ...

    def size(self, identity: str, first: int) -> int:
        """How many bytes those lines have, told without reading them. Raises `LogError`, `StoreError`."""
        ...

    def pieces(self, identity: str) -> Iterator[bytes]:
        """All whole lines, some at a time. Raises `LogError`, `StoreError`, before the first piece and later on."""
        ...
