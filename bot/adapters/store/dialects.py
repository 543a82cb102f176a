"""What SQLite and Postgres say in different words."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError

from bot.adapters.store.database import BUSY_MILLISECONDS
from bot.errors import StoreError

POLL_SECONDS = 0.001
_TURN = threading.Lock()
"""Of the threads of this process one at a time asks SQLite for its one write lock."""

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


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A transaction that writes; not to be nested. Raises SQLAlchemy's errors.

    On SQLite it has the write lock from its beginning and asks for it every millisecond. SQLite's own way of waiting
    sleeps longer each time, up to 0.1 s, whether or not the lock is free by then: with several that write, one in a
    hundred waited for 0.18 s (`sqliteDefaultBusyCallback` in SQLite's main.c).
    """
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            yield connection
        return
    with _TURN, engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            _lock(connection)
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        yield connection


def only_read(connection: sa.Connection) -> bool:
    """Whether a transaction that begins now may not write; SQLite says so where one asks it for the write lock."""
    if connection.dialect.name != "postgresql":
        return False
    setting = sa.func.current_setting("transaction_read_only")
    return bool(connection.execute(sa.select(setting == "on")).scalar_one())


def _lock(connection: sa.Connection) -> None:
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            # sqlite3 begins no transaction of its own where there is one
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except OperationalError as error:
            if "locked" not in str(error.orig) or time.monotonic() > deadline:
                raise
            time.sleep(POLL_SECONDS)
        else:
            return
