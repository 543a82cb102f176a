"""What a job keeps outlives a database that is restarted under it."""

import threading

import postgres_server
import pytest
import sqlalchemy as sa
from fakes_store import FakeTime

from bot.adapters.store import SqlArtifacts, SqlJournal, SqlUnsaid, connect, migrate
from bot.adapters.store.patience import insist, patient
from bot.errors import StoreDownError, StoreError


def test_a_database_that_is_away_is_waited_for_and_any_other_fault_is_not() -> None:
    waited: list[float] = []
    faults: list[StoreError] = [StoreDownError("gone", ""), StoreDownError("starting", "")]

    def call() -> str:
        if faults:
            raise faults.pop(0)
        return "there"

    assert insist(call, (1.0, 2.0, 3.0), waited.append) == "there"
    assert waited == [1.0, 2.0]
    faults += [StoreError("no such table", "")]
    with pytest.raises(StoreError, match="no such table"):
        insist(call, (1.0,), waited.append)
    faults += [StoreDownError("gone", "")] * 2
    with pytest.raises(StoreDownError, match="gone"):
        insist(call, (1.0,), waited.append)
    assert waited == [1.0, 2.0, 1.0]


def test_stores_on_postgres_wait_while_it_is_restarted(
    postgres_cluster: postgres_server.Cluster, postgres: str
) -> None:
    migrate(postgres)
    engine = connect(postgres)
    log = SqlJournal(engine, "one", FakeTime(), str)
    artifacts, unsaid = patient(SqlArtifacts(engine)), patient(SqlUnsaid(engine))
    log.append("started", {})
    kept = artifacts.put(b"log")
    for crash in (False, True):
        postgres_cluster.stop(crash=crash)
        with pytest.raises(StoreDownError):
            SqlArtifacts(engine).get(kept)
        back = threading.Timer(0.5, postgres_cluster.start)
        back.start()
        log.append("called", {"crash": crash})
        unsaid.keep("one", "word")
        assert artifacts.get(kept) == b"log"
        back.join()
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM run_lines")).scalar_one() == 3
    engine.dispose()
