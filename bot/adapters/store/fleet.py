"""The workers table: who works, by heartbeats of the database's own clock."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from bot.adapters.store.database import storable, translated
from bot.adapters.store.starts import SqlStarts
from bot.adapters.store.tables import workers
from bot.pipeline.ports.fleet import Member, Worker

MAX_NAME = 255


@dataclass(frozen=True, slots=True)
class SqlFleet:
    """`Fleet` over the workers table. Every method raises `StoreError`.

    Beats have connections of their own where there are `beats`: no count of starts that waits keeps one waiting.
    """

    engine: sa.Engine
    beats: sa.Engine | None = None

    def exists(self) -> bool:
        """Whether the database is of a schema that knows workers."""
        with translated():
            return sa.inspect(self.engine).has_table(workers.name)

    def enlist(self, member: Member) -> None:
        """Insert its row."""
        named = {**asdict(member), "host": storable(member.host, MAX_NAME)}
        row = {**named, "started_at": self._now(), "beat_at": self._now(), "draining": False, "jobs": "{}"}
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.insert(workers).values(**row))

    def beat(self, executor: str, jobs: Mapping[str, bool], *, draining: bool = False) -> bool:
        """Update its row, unless that is gone."""
        change = sa.update(workers).where(workers.c.executor == executor)
        change = change.values(beat_at=self._now(), draining=draining, jobs=json.dumps(dict(jobs)))
        with translated(), (self.beats or self.engine).begin() as connection:
            return connection.execute(change).rowcount == 1

    def workers(self) -> tuple[Worker, ...]:
        """Every row."""
        query = sa.select(workers, self._silent().label("silent")).order_by(workers.c.started_at, workers.c.executor)
        with translated(), self.engine.connect() as connection:
            return tuple(_worker(row) for row in connection.execute(query))

    def bury(self, executor: str, beat_at: float) -> bool:
        """Delete its row, if that is still its last beat."""
        last = sa.and_(workers.c.executor == executor, workers.c.beat_at == beat_at)
        with translated(), self.engine.begin() as connection:
            return connection.execute(sa.delete(workers).where(last)).rowcount == 1

    def leave(self, executor: str) -> None:
        """Delete its row."""
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.delete(workers).where(workers.c.executor == executor))

    def close(self) -> None:
        """Close its connections."""
        self.engine.dispose()
        if self.beats:
            self.beats.dispose()

    def starts(self, executor: str) -> SqlStarts:
        """Over the starts table."""
        return SqlStarts(self.engine, executor)

    def _silent(self) -> sa.ColumnElement[float]:
        return self._now() - workers.c.beat_at

    def _now(self) -> sa.ColumnElement[float]:
        """The database's clock, which goes on within a transaction."""
        if self.engine.dialect.name == "postgresql":
            return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Float)
        return (sa.func.julianday("now") - 2_440_587.5) * 86_400.0


def _worker(row: Any) -> Worker:
    member = Member(row.executor, row.host, row.pid, row.version, row.slots, row.lease)
    return Worker(member, row.started_at, row.beat_at, row.silent, row.draining, json.loads(row.jobs))
