"""The run_lines table: the logs of runs, where every machine reads them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa

from bot.adapters.journal import LineJournal
from bot.adapters.logs import Redact
from bot.adapters.store.database import translated
from bot.adapters.store.dialects import insert
from bot.adapters.store.kept import run_lines
from bot.adapters.store.patience import WAITS, insist
from bot.errors import LogError, NoRoomError, StoreError
from bot.repair.ports import Clock

T = TypeVar("T")
MOST_AT_ONCE = 20
"""Lines of a log that is handed on by pieces: each may hold a call's whole result."""


@dataclass(frozen=True, slots=True)
class SqlLines:
    """`Lines` of one run. Two workers may have it for a moment, while one takes it over: a line is written once."""

    engine: sa.Engine
    identity: str

    @property
    def name(self) -> str:
        """The run's identity."""
        return f"the run log of {self.identity}"

    def opened(self) -> list[bytes]:
        """All lines: a transaction tears none."""
        return _told(lambda: self.found(self._select().order_by(run_lines.c.number)))

    def at(self, number: int) -> bytes:
        """One line."""
        found = _told(lambda: self.found(self._select().where(run_lines.c.number == number)))
        if not found:
            raise LogError(f"Line {number + 1} of {self.name} is gone", "The log was changed after it was made.")
        return found[0]

    def append(self, number: int, data: bytes) -> bytes:
        """Insert the line unless one with its number is there."""
        row = {"identity": self.identity, "number": number, "data": data}
        return data if _told(lambda: self._inserted(row)) else self.at(number)

    def _inserted(self, row: dict[str, Any]) -> bool:
        with self.engine.begin() as connection:
            added = insert(self.engine, run_lines).values(row).on_conflict_do_nothing().returning(run_lines.c.number)
            return connection.execute(added).one_or_none() is not None

    def found(self, query: sa.Select[bytes]) -> list[bytes]:
        """What a query of lines finds."""
        with self.engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def _select(self) -> sa.Select[bytes]:
        return sa.select(run_lines.c.data).where(run_lines.c.identity == self.identity)


class SqlJournal(LineJournal):
    """`Journal` of one run over the run_lines table."""

    def __init__(
        self, engine: sa.Engine, identity: str, clock: Clock, redact: Redact, exact: Redact | None = None
    ) -> None:
        """Keep the parts; nothing is read before the first event."""
        super().__init__(SqlLines(engine, identity), clock, redact, exact)


@dataclass(frozen=True, slots=True)
class SqlLogs:
    """`LogStore` over the run_lines table."""

    engine: sa.Engine

    def journal(self, identity: str, clock: Clock, redact: Redact, exact: Redact) -> SqlJournal:
        """Over the run's rows."""
        return SqlJournal(self.engine, identity, clock, redact, exact)

    def lines(self, identity: str, first: int) -> tuple[bytes, ...]:
        """Select them."""
        query = (
            sa.select(run_lines.c.data)
            .where(run_lines.c.identity == identity, run_lines.c.number >= first)
            .order_by(run_lines.c.number)
        )
        return tuple(_told(lambda: SqlLines(self.engine, identity).found(query), ()))

    def size(self, identity: str, first: int) -> int:
        """Add up the lengths, of which a database needs no content."""
        query = sa.select(sa.func.coalesce(sa.func.sum(sa.func.length(run_lines.c.data)), 0))
        query = query.where(run_lines.c.identity == identity, run_lines.c.number >= first)

        def added() -> int:
            with self.engine.connect() as connection:
                return int(connection.execute(query).scalar_one())

        return _told(added, ())

    def pieces(self, identity: str) -> Iterator[bytes]:
        """Select some at a time."""
        lines, of_run = SqlLines(self.engine, identity), run_lines.c.identity == identity
        query = sa.select(run_lines.c.data).where(of_run).order_by(run_lines.c.number)
        first = 0
        while found := _told(lambda: lines.found(query.where(run_lines.c.number >= first).limit(MOST_AT_ONCE)), ()):  # noqa: B023 - called at once
            yield b"".join(found)
            first += len(found)

    def remove(self, identity: str) -> bool:
        """Delete them."""
        gone = sa.delete(run_lines).where(run_lines.c.identity == identity)

        def removed() -> bool:
            with self.engine.begin() as connection:
                return connection.execute(gone).rowcount > 0

        return _told(removed, ())

    def prune(self, before: float, most: int, rows: Callable[[], Iterable[str]]) -> int:
        """There are none: every log here is of a run with a row, which is removed after it."""
        del before, most, rows
        return 0


def _told(call: Callable[[], T], waits: tuple[float, ...] = WAITS) -> T:
    """Wait for a database that is away for a moment, and raise whatever it raises as `LogError`."""

    def attempt() -> T:
        with translated():
            return call()

    try:
        return insist(attempt, waits)
    except (StoreError, NoRoomError) as error:
        raise LogError(f"The run log cannot be read or written: {error.cause}", error.remedy) from None
