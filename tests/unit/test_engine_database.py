"""What the engine's database raises is said as every store's trouble is."""

import sqlite3

import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from bot.engine.database import translated
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
