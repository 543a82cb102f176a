"""Deliveries that were recorded, for a person who looks them up or has one decided again."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.adapters.store.database import translated
from bot.adapters.store.tables import deliveries
from bot.errors import NotFoundError
from bot.events import Delivery


@dataclass(frozen=True, slots=True)
class Kept:
    """One delivery and what became of it; times are seconds since the epoch, `decided_at` is `None` until it is.

    `decision` is the reason or what was done, `identity` the job that came of it, `postponed` why it waits.
    """

    delivery: Delivery
    received_at: float
    decided_at: float | None
    decision: str
    identity: str
    postponed: str


@dataclass(frozen=True, slots=True)
class SqlPast:
    """Over the deliveries table. Every method raises `StoreError`."""

    engine: sa.Engine

    def recent(self, limit: int) -> tuple[Kept, ...]:
        """The newest ones, newest first."""
        query = sa.select(deliveries).order_by(deliveries.c.sequence.desc()).limit(limit)
        with translated(), self.engine.connect() as connection:
            return tuple(_kept(row) for row in connection.execute(query))

    def find(self, beginning: str) -> Kept:
        """The one whose id begins so. Raises `NotFoundError` for none and for several."""
        query = (
            sa.select(deliveries)
            .where(deliveries.c.delivery_id.startswith(beginning, autoescape=True))
            .order_by(deliveries.c.delivery_id)
            .limit(2)
        )
        with translated(), self.engine.connect() as connection:
            found = [_kept(row) for row in connection.execute(query)]
        exact = [one for one in found if one.delivery.delivery_id == beginning]
        if len(exact or found) != 1:
            raise NotFoundError(
                f"{'Several deliveries begin' if found else 'No delivery begins'} with {beginning!r}",
                "`regreen deliveries list` shows the ids; one that never arrived is recovered by the worker.",
            )
        return (exact or found)[0]

    def again(self, delivery_id: str, now: float) -> None:
        """Have the worker decide it anew, at once; `now` is in seconds since the epoch."""
        undecided = {"decided_at": None, "decision": None, "identity": None, "postponed": None, "not_before": now}
        undecided |= {"tries": 0, "cut": None}
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.update(deliveries).where(deliveries.c.delivery_id == delivery_id).values(**undecided))


def _kept(row: Any) -> Kept:
    return Kept(
        Delivery(row.delivery_id, row.event, row.body, row.received_at),
        row.received_at,
        row.decided_at,
        row.decision or "",
        row.identity or "",
        row.postponed or "",
    )
