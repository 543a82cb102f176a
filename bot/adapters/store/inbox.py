"""The deliveries table: what was received, and what was decided."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.adapters.store.database import counted, translated
from bot.adapters.store.dialects import insert, moment, only_read, writing
from bot.adapters.store.tables import deliveries, leases
from bot.errors import NoRoomError, StoreError
from bot.events import Delivery
from bot.events.glance import Glance, glance
from bot.pipeline.ports.store import LANE, LONGEST_DELAY

MAX_NOTE = 2_000
PRESS_SECONDS = 600.0
"""After so long the same button at the same check run may have been pressed again."""
SOME = 500
"""How many ids one query names."""
MOST_DOUBLINGS = 20
READ_ONLY = "The database can only be read now: it is a copy that follows another, or was set to take no changes"
_SHOWN = (deliveries.c.sequence, *(deliveries.c[name] for name in ("delivery_id", "event", "body", "received_at")))
_UNDECIDED = deliveries.c.decided_at.is_(None)


@dataclass(frozen=True, slots=True)
class SqlInbox:
    """`Inbox` over the deliveries table. Every method raises `StoreError`.

    `now` gives seconds since the epoch; without it the database's clock counts.
    """

    engine: sa.Engine
    now: Callable[[], float] | None = None

    def accept(self, delivery: Delivery) -> bool:
        """Insert unless the id is there, or the body under another id; durable when this returns.

        GitHub signs the body alone: whoever has seen one delivery can send it again under any id, at any time. Honest
        bodies differ, since an issue and a check suite carry the second of their last change; two alike within that
        second ask for the same. So a body counts once, for ever, for each event name. A press of a button carries no
        time: the same one counts again after `PRESS_SECONDS`.
        """
        return self.accept_all(((delivery, glance(delivery)),))[0]

    def accept_all(self, received: tuple[tuple[Delivery, Glance], ...]) -> tuple[bool, ...]:
        """The same for several, in one transaction: all are durable when this returns, none when it raises."""
        digests = [_digest(delivery) for delivery, _ in received]
        accepted: dict[int, bool] = {}
        with translated(), writing(self.engine) as connection:
            # in one order everywhere, so that two servers that get the same bodies at once do not lock each other out,
            # whatever ids those come under
            for place in sorted(range(len(received)), key=digests.__getitem__):
                accepted[place] = self._accepted(connection, *received[place], digests[place])
        return tuple(accepted[place] for place in range(len(received)))

    def _accepted(self, connection: sa.Connection, delivery: Delivery, seen: Glance, digest: str) -> bool:
        now = moment(self.engine, self.now)
        row = {
            "delivery_id": delivery.delivery_id,
            "event": delivery.event,
            "body": delivery.body,
            "received_at": now,
            "not_before": now,
            "urgent": seen.may_stop,
            "digest": digest,
            "lane": seen.lane,
        }
        if seen.is_press:
            pressed = sa.and_(deliveries.c.digest == digest, deliveries.c.received_at < now - PRESS_SECONDS)
            connection.execute(sa.update(deliveries).where(pressed).values(digest=None))
        inserted = insert(self.engine, deliveries).values(row).on_conflict_do_nothing().returning(deliveries.c.sequence)
        return connection.execute(inserted).scalar_one_or_none() is not None

    def lanes(self, limit: int) -> tuple[str, ...]:
        """Lanes with a delivery whose time has come, that of the oldest first, but for those that a worker has."""
        taken = sa.exists().where(
            leases.c.name == sa.literal(LANE) + deliveries.c.lane, leases.c.until > moment(self.engine, self.now)
        )
        oldest = sa.func.min(deliveries.c.sequence)
        query = sa.select(deliveries.c.lane).where(_UNDECIDED, self._due(), ~taken)
        with translated(), self.engine.connect() as connection:
            found = connection.execute(query.group_by(deliveries.c.lane).order_by(oldest).limit(limit))
            return tuple(found.scalars())

    def pending(self, limit: int, lane: str | None = None) -> tuple[Delivery, ...]:
        """Undecided deliveries whose time has come, oldest first."""
        query = sa.select(*_SHOWN).where(_UNDECIDED, self._due())
        query = query if lane is None else query.where(deliveries.c.lane == lane)
        with translated(), self.engine.connect() as connection:
            return _read(connection.execute(query.order_by(deliveries.c.sequence).limit(limit)))

    def urgent(self, limit: int, seconds: float) -> tuple[Delivery, ...]:
        """Undecided deliveries that may stop something and came so many seconds ago, oldest first, each once."""
        came = deliveries.c.received_at <= moment(self.engine, self.now) - seconds
        query = sa.select(deliveries.c.sequence).where(deliveries.c.urgent, _UNDECIDED, came)
        query = query.order_by(deliveries.c.sequence).limit(limit)
        with translated(), self.engine.connect() as connection:
            if connection.execute(query).first() is None:
                # mostly so: no lock is taken for it
                return ()
        given = sa.update(deliveries).where(deliveries.c.sequence.in_(query.with_for_update(skip_locked=True)))
        with translated(), writing(self.engine) as connection:
            rows = connection.execute(given.values(urgent=False).returning(*_SHOWN)).all()
        return _read(sorted(rows, key=lambda row: int(row.sequence)))

    def note_cut(self, delivery_id: str, runs: tuple[str, ...]) -> bool:
        """Keep the ids of runs that a delivery stopped before its turn."""
        return self._update(delivery_id, {"cut": json.dumps(runs)})

    def cut(self, delivery_id: str) -> tuple[str, ...]:
        """The ids that were noted."""
        query = sa.select(deliveries.c.cut).where(deliveries.c.delivery_id == delivery_id)
        with translated(), self.engine.connect() as connection:
            return tuple(json.loads(connection.execute(query).scalar_one_or_none() or "[]"))

    def awaiting(self, identity: str) -> str:
        """The oldest undecided delivery that waits for the checks of a job, empty for none."""
        query = sa.select(deliveries.c.delivery_id).where(deliveries.c.awaits == identity, _UNDECIDED)
        with translated(), self.engine.connect() as connection:
            return connection.execute(query.order_by(deliveries.c.sequence).limit(1)).scalar_one_or_none() or ""

    def decide(self, delivery_id: str, decision: str, identity: str | None) -> None:
        """Record the decision; the first one stands."""
        change = {"decided_at": moment(self.engine, self.now), "decision": decision[:MAX_NOTE], "identity": identity}
        self._update(delivery_id, change | {"postponed": None, "urgent": False, "awaits": None})

    def postpone(self, delivery_id: str, reason: str, seconds: float, most: float = 0.0, awaits: str = "") -> None:
        """Keep an undecided delivery out of `pending` for a while."""
        most = min(max(most, seconds), LONGEST_DELAY)
        doublings = sa.case((deliveries.c.tries < MOST_DOUBLINGS, deliveries.c.tries), else_=MOST_DOUBLINGS)
        wait = seconds * sa.literal(1).op("<<")(doublings)
        wait = sa.case((wait < most, wait), else_=most)
        change = {"not_before": moment(self.engine, self.now) + wait, "postponed": reason[:MAX_NOTE]}
        self._update(delivery_id, change | {"tries": deliveries.c.tries + 1, "awaits": awaits or None})

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
        """Why deliveries cannot be recorded now, `None` when they can: asks the database itself, ready to write."""
        try:
            with translated(), writing(self.engine) as connection:
                connection.execute(sa.select(deliveries.c.sequence).limit(1)).all()
                return READ_ONLY if only_read(connection) else None
        except (StoreError, NoRoomError) as error:
            return error.cause

    def counts(self) -> dict[str, int]:
        """How many deliveries are queued as jobs, ignored, or pending. Raises `StoreError`."""
        decided = sa.case((deliveries.c.identity.is_not(None), "queued"), else_="ignored")
        return counted(self.engine, sa.case((deliveries.c.decided_at.is_(None), "pending"), else_=decided))

    def _due(self) -> sa.ColumnElement[bool]:
        now, not_before = moment(self.engine, self.now), deliveries.c.not_before
        # nothing is put off for so long: the clock was ahead when that was written
        return (not_before <= now) | (not_before > now + LONGEST_DELAY)

    def _update(self, delivery_id: str, change: dict[str, Any]) -> bool:
        here = sa.and_(deliveries.c.delivery_id == delivery_id, _UNDECIDED)
        with translated(), writing(self.engine) as connection:
            return connection.execute(sa.update(deliveries).where(here).values(**change)).rowcount > 0


def _digest(delivery: Delivery) -> str:
    return hashlib.sha256(f"{delivery.event}\n".encode() + delivery.body).hexdigest()


def _read(rows: Iterable[Any]) -> tuple[Delivery, ...]:
    return tuple(Delivery(row.delivery_id, row.event, row.body, row.received_at) for row in rows)
