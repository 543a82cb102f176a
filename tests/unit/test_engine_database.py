"""What the engine's database raises is said as every store's trouble is."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from bot.engine.database import translated, use_write_ahead_log
from bot.errors import StoreError

LOCKED = sqlite3.OperationalError("database is locked")


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (OperationalError("SELECT ?", {"text": "confidential"}, LOCKED), "database is locked"),
        (LOCKED, "database is locked"),
        (PoolTimeoutError("confidential"), "TimeoutError"),
    ],
)
def test_it_is_an_error_of_the_store_without_the_statements_parameters(raised: Exception, said: str) -> None:
    with pytest.raises(StoreError, match=said) as seen, translated():
        raise raised
    assert "confidential" not in str(seen.value)


def test_the_files_of_the_database_are_their_owners_alone(tmp_path: Path) -> None:
    database = tmp_path / "engine.sqlite"
    use_write_ahead_log(database)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE one (a INTEGER)")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {f"engine.sqlite{suffix}": 0o600 for suffix in ("", "-wal", "-shm")}
