"""However much a worker does at once, it holds no more connections to Postgres than its guide says."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
import structlog
from github_worlds import Keys
from pydantic import SecretStr

from bot.adapters.store import SqlInbox
from bot.jobs import JobOutcome, State
from bot.settings import Settings
from bot.wiring.application import Worker, worker

JOBS = 2
THREADS = 24
STOPPED = JobOutcome(State.CANCELLED, "Stopped")


@pytest.fixture
def working(tmp_path: Path, postgres: str) -> Iterator[Worker]:
    handlers, key = logging.getLogger().handlers[:], tmp_path / "key.pem"
    key.touch(0o600)
    key.write_text(Keys.make().private)
    url = SecretStr(postgres.replace("+psycopg", ""))
    made = worker(Settings(data_dir=tmp_path, database_url=url, app_id=1, private_key_file=key, parallel_jobs=JOBS))
    made.engine.start()
    yield made
    made.engine.close()
    assert isinstance(made.dispatcher.inbox, SqlInbox)
    made.dispatcher.inbox.engine.dispose()
    logging.getLogger().handlers = handlers
    structlog.reset_defaults()


def test_a_worker_holds_as_many_connections_as_its_settings_say_and_all_its_threads_get_on(
    working: Worker, postgres: str
) -> None:
    engine, acting = working.engine, working.dispatcher.acting
    calls: tuple[Callable[[], object], ...] = (
        lambda: engine.outcome("nobody"),
        engine.answers,
        lambda: engine.cancel("nobody", STOPPED),
        lambda: working.dispatcher.inbox.lanes(10),
        lambda: acting.holds.held("octo/fizz", "issue-7"),
        working.settle,
        working.keeping.look,
    )
    with ThreadPoolExecutor(THREADS) as threads:
        for done in [threads.submit(call) for call in calls for _ in range(THREADS)]:
            done.result()
    query = sa.text(
        "SELECT application_name, count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name LIKE 'regreen%' GROUP BY 1"
    )
    looking = sa.create_engine(postgres)
    with looking.connect() as connection:
        held = {str(name): int(number) for name, number in connection.execute(query)}
    looking.dispose()
    stores = 4 + JOBS
    assert stores < held["regreen"] <= stores + 3
    assert held["regreen-engine"] <= stores + 3
    assert sum(held.values()) <= 2 * JOBS + 14
