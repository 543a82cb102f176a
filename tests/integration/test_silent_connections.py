"""What holds a lock in Postgres and falls silent, as a machine does that is cut off, loses it."""

from bot.adapters.store import connect

NEVER = "0"


def idle_limit(url: str) -> str:
    database = connect(url)
    with database.connect() as connection:
        shown = connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar()
    database.dispose()
    return str(shown)


def test_a_transaction_that_nobody_goes_on_with_is_ended_by_the_server(postgres: str) -> None:
    assert idle_limit(postgres) != NEVER
    assert idle_limit(f"{postgres}?options=-c%20idle_in_transaction_session_timeout=5s") == "5s"
