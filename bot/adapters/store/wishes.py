"""The wishes table: what operators asked of runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.adapters.store.database import storable, translated
from bot.adapters.store.runs import MAX_BIGINT
from bot.adapters.store.tables import wishes
from bot.errors import StoreError
from bot.pipeline.ports.store import Asked, Wish

MAX_NOTE = 2_000
TRIES = 5


@dataclass(frozen=True, slots=True)
class SqlWishes:
    """`Wishes` over their table. `now` gives seconds since the epoch. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def ask(self, identity: str, what: Asked, by: str, at: float) -> int:
        """Insert a row unless the same is open, and return the number of the one that is there."""
        waiting = f"{what} {storable(identity, MAX_NOTE)}"
        row = {
            "identity": storable(identity, MAX_NOTE),
            "what": what.value,
            "asked_by": storable(by, MAX_NOTE),
            "asked_at": at,
            "waiting": waiting,
        }
        there = sa.select(wishes.c.number).where(wishes.c.waiting == waiting)
        with translated():
            for _ in range(TRIES):
                try:
                    with self.engine.begin() as connection:
                        (number,) = connection.execute(sa.insert(wishes), row).inserted_primary_key or (None,)
                except IntegrityError:
                    with self.engine.connect() as connection:
                        number = connection.execute(there).scalar_one_or_none()
                # the other may have been seen to in between
                if number is not None:
                    return int(number)
        raise StoreError(f"The wishes to {waiting} come and go too fast to add one", "Try again.")

    def open(self, limit: int) -> tuple[Wish, ...]:
        """Those without an end, oldest first."""
        query = sa.select(wishes).where(wishes.c.done_at.is_(None)).order_by(wishes.c.number).limit(limit)
        with translated(), self.engine.connect() as connection:
            return tuple(_wish(row) for row in connection.execute(query))

    def done(self, number: int, said: str) -> None:
        """Note the end of one that has none."""
        change = {"done_at": self.now(), "said": storable(said, MAX_NOTE), "waiting": None}
        still = wishes.c.number == number, wishes.c.done_at.is_(None)
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.update(wishes).where(*still).values(**change))

    def wish(self, number: int) -> Wish | None:
        """One row; a number that the database has no room for is none."""
        if not 0 < number <= MAX_BIGINT:
            return None
        with translated(), self.engine.connect() as connection:
            row = connection.execute(sa.select(wishes).where(wishes.c.number == number)).one_or_none()
        return None if row is None else _wish(row)


def _wish(row: Any) -> Wish:
    return Wish(row.number, row.identity, Asked(row.what), row.asked_by, row.asked_at, row.done_at, row.said)
