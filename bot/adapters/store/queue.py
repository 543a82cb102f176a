"""What waits in the tables, and since when: for metrics and for whether a worker keeps up."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.adapters.store.database import translated
from bot.adapters.store.tables import deliveries, runs


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many wait, and for how many seconds the oldest of them has."""

    number: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SqlQueue:
    """Reads the deliveries and runs tables. `now` gives seconds since the epoch. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def deliveries(self) -> Waiting:
        """Deliveries whose time has come and that nobody has decided; one that was put off waits from its new time."""
        now = self.now()
        due = sa.and_(deliveries.c.decided_at.is_(None), deliveries.c.not_before <= now)
        return self._waiting(sa.select(sa.func.count(), sa.func.min(deliveries.c.not_before)).where(due), now)

    def jobs(self) -> Waiting:
        """Jobs that wait for their turn: queued, not begun, not ended."""
        now = self.now()
        waiting = sa.and_(runs.c.ended_at.is_(None), runs.c.started_at.is_(None))
        return self._waiting(sa.select(sa.func.count(), sa.func.min(runs.c.queued_at)).where(waiting), now)

    def _waiting(self, query: sa.Select[Any, Any], now: float) -> Waiting:
        with translated(), self.engine.connect() as connection:
            number, oldest = connection.execute(query).one()
        return Waiting(number, max(0.0, now - oldest)) if number else Waiting()
