"""The ended_sessions table: what operators signed out of before its time was up."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.adapters.store.database import translated
from bot.adapters.store.dialects import insert, writing
from bot.adapters.store.tables import ended_sessions


@dataclass(frozen=True, slots=True)
class SqlEndedSessions:
    """`EndedSessions` over their table. Every method raises `StoreError`."""

    engine: sa.Engine

    def end(self, nonce: str, until: int) -> None:
        """Insert a row unless it is there."""
        row = insert(self.engine, ended_sessions).values(nonce=nonce, until=until).on_conflict_do_nothing()
        with translated(), writing(self.engine) as connection:
            connection.execute(row)

    def has_ended(self, nonce: str) -> bool:
        """Whether there is a row."""
        query = sa.select(ended_sessions.c.nonce).where(ended_sessions.c.nonce == nonce)
        with translated(), self.engine.connect() as connection:
            return connection.execute(query).first() is not None
