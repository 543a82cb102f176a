"""The deliveries table: what was received, and what was decided."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.adapters.store.database import counted, translated
from bot.adapters.store.tables import deliveries
from bot.errors import NoRoomError, StoreError
from bot.events import Delivery
from bot.events.glance import is_press, may_stop
from bot.pipeline.ports.store import LONGEST_DELAY

MAX_NOTE = 2_000
PRESS_SECONDS = 600.0
"""After so long the same button at the same check run may have been pressed again."""
SOME = 500
"""How many ids one query names."""


@dataclass(frozen=True, slots=True)
class SqlInbox:
    """`Inbox` over the deliveries table. `now` gives seconds since the epoch. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def accept(self, delivery: Delivery) -> bool:
        """Insert unless the id is there, or the body under another id; durable when this returns.

        GitHub signs the body alone: whoever has seen one delivery can send it again under any id, at any time. Honest
        bodies differ, since an issue and a check suite carry the second of their last change; two alike within that
        second ask for the same. So a body counts once, for ever, for each event name. A press of a button carries no
        time: the same one counts again after `PRESS_SECONDS`.
        """
        now = self.now()
        row = {
            "delivery_id": delivery.delivery_id,
            "event": delivery.event,
            "body": delivery.body,
            "received_at": now,
            "not_before": now,
            "urgent": may_stop(delivery),
            "digest": hashlib.sha256(f"{delivery.event}\n".encode() + delivery.body).hexdigest(),
        }
        with translated():
            try:
                with self.engine.begin() as connection:
                    if is_press(delivery):
                        pressed = sa.and_(
                            deliveries.c.digest == row["digest"], deliveries.c.received_at < now - PRESS_SECONDS
                        )
                        connection.execute(sa.update(deliveries).where(pressed).values(digest=None))
                    connection.execute(sa.insert(deliveries), row)
            except IntegrityError:
                return False
        return True

    def pending(self, limit: int) -> tuple[Delivery, ...]:
        """Undecided deliveries whose time has come, oldest first."""
        now, not_before = self.now(), deliveries.c.not_before
        query = (
            sa.select(deliveries)
            # nothing is put off for so long: the clock was ahead when that was written
            .where(deliveries.c.decided_at.is_(None), (not_before <= now) | (not_before > now + LONGEST_DELAY))
            .order_by(deliveries.c.sequence)
            .limit(limit)
        )
        with translated(), self.engine.connect() as connection:
            rows = connection.execute(query)
            return tuple(Delivery(row.delivery_id, row.event, row.body, row.received_at) for row in rows)

    def urgent(self, limit: int, seconds: float) -> tuple[Delivery, ...]:
        """Undecided deliveries that may stop something and came so many seconds ago, oldest first."""
        came = deliveries.c.received_at <= self.now() - seconds
        query = (
            sa.select(deliveries)
            .where(deliveries.c.urgent, deliveries.c.decided_at.is_(None), came)
            .order_by(deliveries.c.sequence)
            .limit(limit)
        )
        with translated(), self.engine.connect() as connection:
            rows = connection.execute(query)
            return tuple(Delivery(row.delivery_id, row.event, row.body, row.received_at) for row in rows)

    def hurried(self, delivery_id: str) -> None:
        """Keep a delivery out of `urgent`."""
        self._update(delivery_id, {"urgent": False})

    def decide(self, delivery_id: str, decision: str, identity: str | None) -> None:
        """Record the decision; the first one stands."""
        change = {"decided_at": self.now(), "decision": decision[:MAX_NOTE], "identity": identity}
        self._update(delivery_id, change | {"postponed": None, "urgent": False})

    def postpone(self, delivery_id: str, reason: str, seconds: float) -> None:
        """Keep an undecided delivery out of `pending` for a while."""
        not_before = self.now() + min(seconds, LONGEST_DELAY)
        self._update(delivery_id, {"not_before": not_before, "postponed": reason[:MAX_NOTE]})

    def unseen(self, delivery_ids: tuple[str, ...]) -> frozenset[str]:
        """Those that are not in the table."""
        seen: set[str] = set()
        with translated(), self.engine.connect() as connection:
            for first in range(0, len(delivery_ids), SOME):
                some = delivery_ids[first : first + SOME]
                query = sa.select(deliveries.c.delivery_id).where(deliveries.c.delivery_id.in_(some))
                seen.update(connection.execute(query).scalars())
        return frozenset(delivery_ids) - seen

    def since(self) -> float | None:
        """When the oldest row was written."""
        query = sa.select(deliveries.c.received_at).order_by(deliveries.c.sequence).limit(1)
        with translated(), self.engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def unready(self) -> str | None:
        """Why deliveries cannot be recorded now, `None` when they can: asks the database itself."""
        try:
            with translated(), self.engine.connect() as connection:
                connection.execute(sa.select(deliveries.c.sequence).limit(1)).all()
        except (StoreError, NoRoomError) as error:
            return error.cause
        return None

    def counts(self) -> dict[str, int]:
        """How many deliveries are queued as jobs, ignored, or pending. Raises `StoreError`."""
        decided = sa.case((deliveries.c.identity.is_not(None), "queued"), else_="ignored")
        return counted(self.engine, sa.case((deliveries.c.decided_at.is_(None), "pending"), else_=decided))

    def _update(self, delivery_id: str, change: dict[str, Any]) -> None:
        undecided = sa.and_(deliveries.c.delivery_id == delivery_id, deliveries.c.decided_at.is_(None))
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.update(deliveries).where(undecided).values(**change))
