"""The unsaid table: last words of jobs that GitHub did not take."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.adapters.store.database import storable, translated
from bot.adapters.store.tables import unsaid
from bot.pipeline.ports.store import Unshown

MAX_TEXT = 70_000
"""Characters: more than GitHub takes."""
FIRST_WAIT, LONGEST_WAIT = 60.0, 3_600.0


@dataclass(frozen=True, slots=True)
class SqlUnsaid:
    """`Unsaid` over its table. Every method raises `StoreError`."""

    engine: sa.Engine
    now: Callable[[], float] = time.time

    def keep(self, identity: str, text: str) -> None:
        """Insert a row unless there is one."""
        row = {
            "identity": identity,
            "text": storable(text, MAX_TEXT),
            "since": self.now(),
            "not_before": self.now() + FIRST_WAIT,
        }
        with translated():
            try:
                with self.engine.begin() as connection:
                    connection.execute(sa.insert(unsaid), row)
            except IntegrityError:
                return

    def due(self, limit: int) -> tuple[Unshown, ...]:
        """Those whose time has come."""
        now, not_before = self.now(), unsaid.c.not_before
        # no word waits for so long: the clock was ahead when that was written
        due = (not_before <= now) | (not_before > now + LONGEST_WAIT)
        query = sa.select(unsaid).where(due).order_by(not_before).limit(limit)
        with translated(), self.engine.connect() as connection:
            return tuple(Unshown(row.identity, row.text, row.since) for row in connection.execute(query))

    def later(self, identity: str) -> None:
        """Count a try, and wait."""
        with translated(), self.engine.begin() as connection:
            here = unsaid.c.identity == identity
            tries = connection.execute(sa.select(unsaid.c.tries).where(here)).scalar_one_or_none()
            if tries is None:
                return
            wait = min(FIRST_WAIT * 2.0 ** min(tries + 1, 20), LONGEST_WAIT)
            connection.execute(sa.update(unsaid).where(here).values(tries=tries + 1, not_before=self.now() + wait))

    def done(self, identity: str) -> None:
        """Delete the row."""
        with translated(), self.engine.begin() as connection:
            connection.execute(sa.delete(unsaid).where(unsaid.c.identity == identity))
