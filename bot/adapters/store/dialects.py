"""What SQLite and Postgres say in different words."""

import time
from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from bot.errors import StoreError

Insert = sqlite.Insert | postgresql.Insert


def insert(engine: sa.Engine, table: sa.Table) -> Insert:
    """An insert that can say what happens where a row is there. Raises `StoreError` for any other database."""
    match engine.dialect.name:
        case "sqlite":
            return sqlite.insert(table)
        case "postgresql":
            return postgresql.insert(table)
        case other:
            raise StoreError(f"Nothing can be kept in {other}", "Use SQLite or Postgres.")


def moment(engine: sa.Engine, now: Callable[[], float] | None) -> sa.ColumnElement[float]:
    """Now, in seconds since the epoch: by Postgres's own clock, which all machines share, unless `now` is given."""
    if now is None and engine.dialect.name == "postgresql":
        return sa.cast(sa.extract("epoch", sa.func.statement_timestamp()), sa.Float)
    return sa.literal((now or time.time)(), sa.Float)
