"""A database by its address: how it is opened and counted, and how its errors are said."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.errors import NoRoomError, StoreDownError, StoreError
from sandbox.directories import make_private

BUSY_MILLISECONDS = 10_000
SWITCHES, SWITCH_SECONDS = 100, 0.05
CONNECT_SECONDS, SILENT_SECONDS = 10, 30
"""Within how many seconds Postgres answers a new connection, and a dead machine's one is given up."""
CONNECTIONS = 10
"""How many of a server's threads have the database at once: each has it for some milliseconds."""
IDLE_SECONDS = 15
"""After how many seconds Postgres ends a transaction that nobody goes on with."""


def connect(url: str, most: int = CONNECTIONS) -> sa.Engine:
    """An engine for `url`. SQLite: write-ahead log, waits for locks, and a commit is on disk when it returns.

    Postgres: time limits that the address does not set are set, lest a thread wait for ever on a machine that is gone.
    There are at most so many connections, which stay: who wants another waits for one of them.
    """
    where = sa.make_url(url)
    if where.get_backend_name() == "postgresql":
        engine = sa.create_engine(
            _bounded(where), pool_size=most, max_overflow=0, pool_pre_ping=True, hide_parameters=True
        )
        if "options" not in where.query:
            sa.event.listen(engine, "connect", _limit_idle)
        return engine
    engine = sa.create_engine(where, pool_pre_ping=True)
    if engine.dialect.name == "sqlite":
        _make_place(engine.url)
        sa.event.listen(engine, "connect", _set_pragmas)
    return engine


@contextmanager
def translated() -> Iterator[None]:
    """Raise what the driver raises as `StoreError` or `NoRoomError`."""
    try:
        yield
    except SQLAlchemyError as error:
        # The driver's text only: SQLAlchemy's own shows parameters, among them issue texts.
        driver = _said(error.orig) if isinstance(error, DBAPIError) else type(error).__name__
        if "disk is full" in driver or "No space left" in driver:
            raise NoRoomError("The database has no room left", "Free space where the database lies.") from None
        kind = StoreDownError if _is_down(error) else StoreError
        remedy = "Check the data directory, the database's address and its log; `/readyz` names what is wrong."
        raise kind(f"The database failed: {driver}", remedy) from None


def storable(text: str, limit: int) -> str:
    """The text as every database takes it: cut, without NUL and lone surrogates."""
    return text[:limit].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def counted(engine: sa.Engine, column: sa.ColumnElement[str]) -> dict[str, int]:
    """How many rows of the column's table have each value. Raises `StoreError`."""
    query = sa.select(column.label("value"), sa.func.count()).group_by(sa.text("value"))
    with translated(), engine.connect() as connection:
        return {str(value): number for value, number in connection.execute(query)}


def _bounded(where: sa.URL) -> sa.URL:
    limits = {
        "application_name": "regreen",
        "connect_timeout": str(CONNECT_SECONDS),
        "keepalives_idle": str(CONNECT_SECONDS),
        "keepalives_interval": "5",
        "keepalives_count": "4",
        "tcp_user_timeout": str(1_000 * SILENT_SECONDS),
    }
    return where.update_query_dict({name: value for name, value in limits.items() if name not in where.query})


def _said(error: BaseException | None) -> str:
    """What the driver says without the detail that Postgres adds, which shows the values of a row."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    return str(primary or error).strip()


def _is_down(error: SQLAlchemyError) -> bool:
    """Whether Postgres is gone, restarts, or gave this up for another transaction: all of that passes."""
    if isinstance(error, exc.TimeoutError):
        return True
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated or isinstance(error.orig, psycopg.OperationalError)
    )


def _make_place(url: sa.URL) -> None:
    """The directory and the file, for their owner alone: SQLite gives its other files (-wal, -shm) the mode of this."""
    if not url.database or url.database == ":memory:":
        return
    make_private(Path(url.database).parent)
    with suppress(OSError):  # What is wrong with the place, SQLite says when it opens the file.
        os.close(os.open(url.database, os.O_RDWR | os.O_CREAT, 0o600))


def _limit_idle(connection: Any, _record: object) -> None:
    """What a worker that was cut off had locked would stay so for hours.

    By a statement, since a pooler refuses options of a connection's start; committed, since the pool rolls back.
    """
    connection.execute(f"SET idle_in_transaction_session_timeout = {1_000 * IDLE_SECONDS}")
    connection.commit()


def _set_pragmas(connection: Any, _record: object) -> None:
    # First, since switching to the write-ahead log needs a lock too.
    connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    for left in reversed(range(SWITCHES)):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:
            # Two that switch at once are refused without waiting, lest they wait for each other.
            if not left:
                raise
            time.sleep(SWITCH_SECONDS)
    connection.execute("PRAGMA synchronous=FULL")
