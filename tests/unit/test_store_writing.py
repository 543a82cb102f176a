"""A transaction that writes has SQLite's lock from its beginning, and gets it soon after it is free."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from bot.adapters.store import connect
from bot.adapters.store.database import BUSY_MILLISECONDS
from bot.adapters.store.dialects import writing

SECONDS = 30.0


@pytest.fixture
def engine(tmp_path: Path) -> sa.Engine:
    made = connect(f"sqlite:///{tmp_path / 'r.sqlite'}")
    with writing(made) as connection:
        connection.exec_driver_sql("CREATE TABLE one (a INTEGER)")
    return made


def test_what_was_read_in_it_cannot_change_before_it_is_written(engine: sa.Engine) -> None:
    def add(_number: int) -> None:
        with writing(engine) as connection:
            found = connection.exec_driver_sql("SELECT count(*) FROM one").scalar_one()
            connection.exec_driver_sql("INSERT INTO one VALUES (?)", (found,))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT a FROM one ORDER BY a").scalars().all() == list(range(40))
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == BUSY_MILLISECONDS
    engine.dispose()


def test_it_waits_for_another_process_and_what_fails_in_it_is_undone(engine: sa.Engine, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "r.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.1, other.execute, ("COMMIT",))
    timer.start()

    def fail() -> None:
        with writing(engine) as connection:
            connection.exec_driver_sql("INSERT INTO one VALUES (1)")
            connection.exec_driver_sql("INSERT INTO two VALUES (1)")

    with pytest.raises(OperationalError, match="no such table"):
        fail()
    timer.join(SECONDS)
    other.close()
    with writing(engine) as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM one").scalar() == 0
    engine.dispose()
