"""What holds a lock in Postgres and falls silent, as a machine does that is cut off, loses it."""

import pytest
import sqlalchemy as sa

from bot.adapters.store import connect
from bot.engine import database as engine_database

LIMIT = "idle_in_transaction_session_timeout"


def idle_limit(database: sa.Engine) -> tuple[str, str]:
    """The limit in milliseconds, and what set it: `session` for a statement, `client` for an option at the start."""
    # the second use is of a connection that went back to the pool, which rolled it back
    for _ in range(2):
        with database.connect() as connection:
            query = sa.text("SELECT setting, source FROM pg_settings WHERE name = :name")
            setting, source = connection.execute(query, {"name": LIMIT}).one()
    database.dispose()
    return setting, source


def test_a_transaction_that_nobody_goes_on_with_is_ended_by_the_server(postgres: str) -> None:
    assert idle_limit(connect(postgres)) == ("15000", "session")
    assert idle_limit(connect(f"{postgres}?options=-c%20{LIMIT}=5s")) == ("5000", "client")
    assert idle_limit(engine_database.connect(postgres, 7.5)) == ("7500", "session")


@pytest.mark.parametrize("url", ["postgresql+psycopg://u@h/d", "postgresql+psycopg://u@h/d?sslmode=require"])
def test_no_connection_starts_with_options_since_poolers_refuse_them(url: str) -> None:
    assert "options" not in connect(url).url.query
    assert "options" not in engine_database.engine_arguments()["connect_args"]
