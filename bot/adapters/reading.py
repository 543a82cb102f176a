"""`Reader` over the runs table and the run logs."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bot.adapters.store.database import translated
from bot.adapters.store.ledger import MILLIONTHS
from bot.adapters.store.runs import MAX_BIGINT
from bot.adapters.store.standing import IN_THE_WAY
from bot.adapters.store.tables import runs, spends
from bot.errors import LogError
from bot.jobs import State
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.reading import MOST_ROWS, OPEN, DayFigures, Filter, RepositoryFigures, RunLogs, RunRow
from bot.pipeline.reading.artifacts import LOG
from bot.pipeline.reading.contents import content
from bot.pipeline.reading.lines import ChangedLogError, entries
from bot.pipeline.reading.payloads import redacted

MOST_RUNS = 20_000
"""A repository's runs that its figures are made of, the newest ones."""
MOST_DAYS = 366
MOST_BYTES = 128 << 20
"""Of a log that is read to be shown; what is handed out as it is may be larger."""
_TEXTS = (runs.c.headline, runs.c.title, runs.c.stop, runs.c.sender, runs.c.repository, runs.c.subject)
_FIELDS = tuple(field.name for field in fields(RunRow))
_CHARGED = sa.func.coalesce(sa.cast(spends.c.spent, sa.Double) / float(MILLIONTHS), 0.0)
_DOLLARS = sa.case((runs.c.dollars > 0, runs.c.dollars), else_=_CHARGED).label("dollars")
"""What a run told at its end; one that was stopped or killed told nothing, and its calls were charged all the same."""
_HELD = runs.outerjoin(spends, spends.c.identity == runs.c.identity)
_COLUMNS = *(column for column in runs.c if column is not runs.c.dollars), _DOLLARS, IN_THE_WAY
_ROWS = sa.select(*_COLUMNS).select_from(_HELD)


@dataclass(frozen=True, slots=True)
class StoredReader:
    """Reads; `redact` is for texts that a log holds as they were, since a line's fields are redacted already."""

    engine: sa.Engine
    logs: RunLogs
    redact: Callable[[str], str]
    now: Callable[[], float] = time.time

    def runs(self, wanted: Filter) -> tuple[RunRow, ...]:
        """The runs that fit, newest first."""
        limit = min(max(wanted.limit, 0), MOST_ROWS)
        query = _ROWS.where(*_conditions(wanted)).order_by(runs.c.sequence.desc()).limit(limit)
        with translated(), self.engine.connect() as connection:
            return tuple(_row(one) for one in connection.execute(query))

    def run(self, identity: str) -> RunRow | None:
        """One run by its whole identity."""
        query = _ROWS.where(runs.c.identity == identity.replace("\0", "\ufffd"))
        with translated(), self.engine.connect() as connection:
            found = connection.execute(query).one_or_none()
        return None if found is None else _row(found)

    def repositories(self, limit: int, hidden: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The repositories that had runs, those of the newest runs first, but for the hidden ones."""
        newest = sa.func.max(runs.c.sequence)
        query = sa.select(runs.c.repository).where(*_conditions(Filter(hidden=hidden)))
        query = query.group_by(runs.c.repository).order_by(newest.desc()).limit(limit)
        with translated(), self.engine.connect() as connection:
            return tuple(connection.execute(query).scalars())

    def entries(self, identity: str, after: int) -> tuple[Entry, ...]:
        """What a run's log holds after a line."""
        first = max(after, 0)
        lines = self._lines(identity, first)
        try:
            found = entries(lines, first, after)
        except ChangedLogError as error:
            error.sound = self._shown(error.sound)
            raise
        return self._shown(found)

    def artifact(self, identity: str, name: str) -> bytes | None:
        """Something that a log holds, or the log itself."""
        if name == LOG:
            return b"".join(self.log(identity)) or None
        return content(self._lines(identity, 0), name, self.redact)

    def log(self, identity: str) -> Iterator[bytes]:
        """The log as it is."""
        return self.logs.pieces(identity)

    def _lines(self, identity: str, first: int) -> tuple[bytes, ...]:
        if (size := self.logs.size(identity, first)) > MOST_BYTES:
            raise LogError(
                f"The run's log has {size >> 20} MiB, which is more than the {MOST_BYTES >> 20} MiB that can be shown",
                f"Download {LOG}, or print it by `regreen show RUN --artifact {LOG}`.",
            )
        return self.logs.lines(identity, first)

    def _shown(self, found: tuple[Entry, ...]) -> tuple[Entry, ...]:
        # a line's fields were redacted when it was written
        return tuple(redacted(entry, self.redact) for entry in found)

    def repository(self, name: str, days: int) -> RepositoryFigures:
        """A repository's figures."""
        days = min(max(days, 1), MOST_DAYS)
        today = datetime.fromtimestamp(self.now(), UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        begins = [today - timedelta(days=back) for back in range(days - 1, -1, -1)]
        own = sa.func.lower(runs.c.repository) == name.lower()
        ended = (
            sa.select(runs.c.state, runs.c.queued_at, runs.c.ended_at, _DOLLARS, runs.c.tokens)
            .select_from(_HELD)
            .where(own, runs.c.ended_at >= begins[0].timestamp())
            .order_by(runs.c.sequence.desc())
            .limit(MOST_RUNS)
        )
        counts = sa.select(sa.func.count(), sa.func.count(runs.c.ended_at)).where(own)
        with translated(), self.engine.connect() as connection:
            every, over = connection.execute(counts).one()
            by_day: dict[str, list[Any]] = {}
            for one in connection.execute(ended):
                by_day.setdefault(_day(one.ended_at), []).append(one)
        figures = tuple(_figures(day, by_day.get(day, [])) for day in (f"{begin:%Y-%m-%d}" for begin in begins))
        return RepositoryFigures(name, figures, every - over, known=every > 0)


def _conditions(wanted: Filter) -> list[sa.ColumnElement[bool]]:
    def lower(column: sa.Column[str]) -> sa.ColumnElement[str]:
        return sa.func.lower(column)

    found: list[sa.ColumnElement[bool]] = []
    text, prefix = wanted.text.replace("\0", "\ufffd"), wanted.prefix.replace("\0", "\ufffd")
    for column, name in ((runs.c.repository, wanted.repository), (runs.c.subject, wanted.subject)):
        if name:
            found.append(lower(column) == name.replace("\0", "\ufffd").lower())
    if wanted.state:
        found.append(runs.c.ended_at.is_(None) if wanted.state == OPEN else runs.c.state == wanted.state)
    if text:
        found.append(sa.or_(*(column.icontains(text, autoescape=True) for column in _TEXTS)))
    if prefix:
        # not LIKE, which takes letters of either case on SQLite
        found.append(sa.func.substr(runs.c.identity, 1, len(prefix)) == prefix)
    found += [lower(runs.c.repository).not_like(_pattern(glob), escape="\\") for glob in wanted.hidden]
    if wanted.before is not None:
        found.append(runs.c.sequence < min(wanted.before, MAX_BIGINT))
    return found


def _pattern(glob: str) -> str:
    escaped = glob.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return escaped.replace("*", "%").replace("?", "_")


def _row(found: Any) -> RunRow:
    held = found._mapping  # noqa: SLF001 - SQLAlchemy's documented name for a row as a mapping
    # what is not there is what the row's default says
    return RunRow(**{name: held[name] for name in _FIELDS if held.get(name) is not None})


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"


def _figures(day: str, ended: list[Any]) -> DayFigures:
    counts: dict[str, int] = {}
    for one in ended:
        counts[one.state] = counts.get(one.state, 0) + 1
    waits = (one.ended_at - one.queued_at for one in ended if one.state == State.PUBLISHED)
    return DayFigures(
        day,
        tuple(sorted(counts.items())),
        sum(one.dollars for one in ended),
        sum(one.tokens for one in ended),
        tuple(sorted(max(seconds, 0.0) for seconds in waits)),
    )
