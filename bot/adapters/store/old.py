"""Rows that have had their time."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.adapters.store.database import translated
from bot.adapters.store.dialects import writing
from bot.adapters.store.tables import charges, deliveries, ended_sessions, runs, spends, unsaid, wishes


@dataclass(frozen=True, slots=True)
class SqlOld:
    """`Old` over the tables. Every method raises `StoreError`."""

    engine: sa.Engine

    def drop_bodies(self, before: float, most: int) -> int:
        """An empty body says that there was one: no delivery is empty."""
        whole = sa.func.length(deliveries.c.body) > 0
        old = sa.select(deliveries.c.sequence).where(deliveries.c.decided_at < before, whole)
        old = old.order_by(deliveries.c.decided_at).limit(most)
        return self._write(sa.update(deliveries).where(deliveries.c.sequence.in_(old)).values(body=b"", cut=None))

    def runs(self, before: float, most: int) -> tuple[str, ...]:
        """Runs whose accounts are closed and whose last words were shown."""
        unsettled = sa.exists().where(spends.c.identity == runs.c.identity, spends.c.settled_at.is_(None))
        untold = sa.exists().where(unsaid.c.identity == runs.c.identity)
        query = sa.select(runs.c.identity).where(runs.c.ended_at < before, ~unsettled, ~untold)
        with translated(), self.engine.connect() as connection:
            return tuple(connection.execute(query.order_by(runs.c.sequence).limit(most)).scalars())

    def drop_runs(self, identities: tuple[str, ...]) -> None:
        """Delete the rows; what was spent stays in the ledger, which counts it against the subject's budget.

        Of which calls it was spent is forgotten: none is charged again after so long.
        """
        ended = sa.select(runs.c.identity).where(runs.c.identity.in_(identities), runs.c.ended_at.is_not(None))
        with translated(), writing(self.engine) as connection:
            connection.execute(sa.delete(charges).where(charges.c.identity.in_(ended)))
            connection.execute(sa.delete(runs).where(runs.c.identity.in_(ended)))

    def drop_wishes(self, before: float, most: int) -> int:
        """Delete rows that are done."""
        old = sa.select(wishes.c.number).where(wishes.c.done_at < before).order_by(wishes.c.number).limit(most)
        return self._write(sa.delete(wishes).where(wishes.c.number.in_(old)))

    def drop_sessions(self, before: float, most: int) -> int:
        """Delete rows."""
        old = sa.select(ended_sessions.c.nonce).where(ended_sessions.c.until < before).limit(most)
        return self._write(sa.delete(ended_sessions).where(ended_sessions.c.nonce.in_(old)))

    def identities(self) -> tuple[str, ...]:
        """As many as there are rows: some ten thousands in ninety days, of some dozens of bytes."""
        with translated(), self.engine.connect() as connection:
            return tuple(connection.execute(sa.select(runs.c.identity)).scalars())

    def oldest_open(self) -> float | None:
        """By the clock of whoever queued it."""
        query = sa.select(sa.func.min(runs.c.queued_at)).where(runs.c.ended_at.is_(None))
        with translated(), self.engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def _write(self, change: sa.Update | sa.Delete) -> int:
        with translated(), writing(self.engine) as connection:
            return connection.execute(change).rowcount
