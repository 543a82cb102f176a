"""The engine's database: how it is kept, and how its errors are said."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.errors import StoreError

BUSY_SECONDS = 10
CONNECTIONS = 3
"""Beside DBOS's own: who takes jobs may hold one while it waits for a lock, and who gives some back another."""
CONNECT_SECONDS, SILENT_SECONDS = 10, 30
"""Within how many seconds Postgres answers a new connection, and a dead machine's one is given up."""


def use_write_ahead_log(database: Path) -> None:
    """Kept in the file: readers then do not wait for the writer, a commit costs one sync. Made for its owner alone."""
    # SQLite gives its other files (-wal, -shm) the mode of this one.
    with suppress(OSError):  # What is wrong with the place, SQLite says when it opens the file.
        os.close(os.open(database, os.O_RDWR | os.O_CREAT, 0o600))
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


def connect(url: str, idle: float = SILENT_SECONDS) -> sa.Engine:
    """To the database that DBOS keeps its tables in.

    Postgres ends a transaction whose worker was silent for `idle` seconds: one that was cut off within it would hold
    what it had locked for hours, and who goes on with its job would wait for that.
    """
    if sa.make_url(url).get_backend_name() == "postgresql":
        engine = sa.create_engine(url, pool_pre_ping=True, hide_parameters=True, **engine_arguments())
        sa.event.listen(engine, "connect", partial(_limit_idle, max(1, round(1_000 * idle))))
        return engine
    return sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS})


def engine_arguments(most: int = CONNECTIONS) -> dict[str, Any]:
    """How Postgres is connected to: by so many at most, and one that is gone is given up after some seconds.

    Nothing of it are options of a connection's start, which a pooler refuses.
    """
    limits = {
        "application_name": "regreen-engine",
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": CONNECT_SECONDS,
        "keepalives_interval": 5,
        "keepalives_count": 4,
        "tcp_user_timeout": 1_000 * SILENT_SECONDS,
    }
    return {"connect_args": limits, "pool_size": most, "max_overflow": 0}


def _limit_idle(milliseconds: int, connection: Any, _record: object) -> None:
    connection.execute(f"SET idle_in_transaction_session_timeout = {milliseconds}")
    # the pool rolls back
    connection.commit()


@contextmanager
def translated() -> Iterator[None]:
    """Raise what the database raises as `StoreError`."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        # The driver's text only: SQLAlchemy's own shows parameters, among them issue texts.
        driver = error.orig if isinstance(error, DBAPIError) else error
        cause = str(driver) if isinstance(driver, sqlite3.Error) else type(driver).__name__
        raise StoreError(
            f"The engine's database failed: {cause}", "Check the disk of the data directory, or Postgres."
        ) from None
