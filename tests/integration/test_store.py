import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from fakes_store import FakeTime, fix_issue

from bot.adapters.store import SqlInbox, SqlRuns, connect, migrate
from bot.adapters.store.inbox import READ_ONLY
from bot.errors import StoreError
from bot.events import Delivery
from bot.events.glance import glance
from bot.jobs import JobOutcome, State

OUTCOME = JobOutcome(State.PUBLISHED, "Opened pull request #3", "solved", 3, "https://x/3", 1200, 0.25, 61.5)


@pytest.fixture
def url(tmp_path: Path) -> str:
    address = f"sqlite:///{tmp_path / 'deep' / 'regreen.sqlite'}"
    migrate(address)
    return address


def test_the_files_of_the_database_are_their_owners_alone(url: str, tmp_path: Path) -> None:
    engine = connect(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE one (a INTEGER)")
        modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "deep").iterdir()}
    engine.dispose()
    assert modes == {f"regreen.sqlite{suffix}": 0o600 for suffix in ("", "-wal", "-shm")}


def test_a_commit_is_on_disk_when_it_returns(url: str) -> None:
    engine = connect(url)
    with engine.connect() as connection:
        pragmas = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    engine.dispose()
    assert pragmas == ["wal", 2]


def test_an_insert_waits_for_another_writer_instead_of_failing(url: str, tmp_path: Path) -> None:
    engine = connect(url)
    other = sqlite3.connect(tmp_path / "deep" / "regreen.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        accepted = pool.submit(SqlInbox(engine).accept, Delivery("a", "issues", b"{}"))
        other.execute("COMMIT")
        assert accepted.result(timeout=10)
    other.close()
    engine.dispose()


def test_the_bodies_of_one_commit_are_written_in_one_order_whatever_ids_they_came_under(
    url: str, tmp_path: Path
) -> None:
    bodies = [b"%d" % number for number in range(20)]
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    migrate(other)
    written: list[list[bytes]] = []
    for address, come in ((url, bodies), (other, bodies[::-1])):
        engine = connect(address)
        inbox = SqlInbox(engine)
        received = [Delivery(f"d-{number}", "issues", body) for number, body in enumerate((*come, come[7], b"new"))]
        answers = inbox.accept_all(tuple((delivery, glance(delivery)) for delivery in received))
        assert answers == (*[True] * 20, False, True)
        written.append([delivery.body for delivery in inbox.pending(99)])
        engine.dispose()
    assert written[0] == written[1]


def test_a_sqlite_file_that_can_only_be_read_is_unready(url: str) -> None:
    engine = connect(url)
    assert SqlInbox(engine).unready() is None
    # as without the permission, which root always has
    sa.event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA query_only=ON"))
    engine.dispose()
    assert "readonly" in (SqlInbox(engine).unready() or "")
    engine.dispose()


def test_a_postgres_that_can_only_be_read_is_unready(postgres: str) -> None:
    migrate(postgres)
    engine = connect(postgres)
    assert SqlInbox(engine).unready() is None
    with engine.begin() as connection:
        name = postgres.rpartition("/")[2]
        connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only=on')
    engine.dispose()
    assert SqlInbox(engine).unready() == READ_ONLY
    engine.dispose()


def test_a_database_without_tables_is_unready_and_raises_a_store_error(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'empty.sqlite'}")
    inbox = SqlInbox(engine)
    assert "no such table" in (inbox.unready() or "")
    with pytest.raises(StoreError) as caught:
        inbox.accept(Delivery("a", "issues", b"what nobody else may read"))
    assert "nobody else" not in str(caught.value)
    engine.dispose()


def test_a_run_is_listed_from_its_start_to_its_first_outcome(url: str) -> None:
    engine = connect(url)
    now = FakeTime()
    runs = SqlRuns(engine, now)
    runs.started("one", fix_issue(1))
    now.seconds += 10
    runs.started("one", fix_issue(1))
    runs.started("two", fix_issue(2))
    runs.ended("one", OUTCOME)
    runs.ended("one", replace(OUTCOME, headline="later"))
    newest, oldest = runs.recent(5)
    assert (newest.identity, newest.subject, newest.outcome) == ("two", "issue-2", None)
    assert (oldest.queued_at, oldest.ended_at, oldest.outcome) == (1_000.0, 1_010.0, OUTCOME)
    assert runs.recent(1) == (newest,)
    engine.dispose()


@pytest.mark.parametrize("tokens", [-1, 10**30, 10**400], ids=["negative", "large", "huge"])
@pytest.mark.parametrize(
    "amount", [float("inf"), float("-inf"), float("nan"), -1.0, 10**400], ids=["inf", "-inf", "nan", "-1", "huge"]
)
def test_a_run_ends_whatever_its_outcome_holds(url: str, tokens: int, amount: float) -> None:
    engine = connect(url)
    runs = SqlRuns(engine)
    runs.started("one", fix_issue(1))
    text = "a\0b\ud800" + "x" * 100_000
    runs.ended("one", JobOutcome(State.FAILED, text, text, tokens, text, tokens, amount, amount))
    (run,) = runs.recent(1)
    assert run.outcome is not None
    assert 0 <= run.outcome.tokens < 2**63
    assert 0 <= run.outcome.dollars < 1e20
    assert run.outcome.headline.startswith("a\ufffdb?x")
    engine.dispose()
