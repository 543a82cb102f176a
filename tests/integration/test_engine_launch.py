"""A worker's queue is there before DBOS first looks for work: a later one would be worked on a second late."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dbos import DBOSClient

from bot.engine.database import connect
from bot.engine.launch import APPLICATION, POLL_SECONDS, prepare
from bot.engine.line import Line


@pytest.fixture(params=["sqlite", "postgres"])
def line(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Line]:
    url = f"sqlite:///{tmp_path}/e.sqlite" if request.param == "sqlite" else request.getfixturevalue("postgres")
    line = Line(connect(url))
    yield line
    line.close()


def queues(line: Line) -> list[tuple[str, int | None, float, str | None]]:
    client = DBOSClient(system_database_engine=line.engine)
    found = client.list_queues()
    return [(one.name, one._worker_concurrency, one._polling_interval_sec, one.application_name) for one in found]


def test_a_fresh_database_gets_its_tables_and_the_queue(line: Line) -> None:
    assert not line.exists()
    prepare(line, "fixes:one", 3)
    assert line.exists()
    assert queues(line) == [("fixes:one", 3, POLL_SECONDS, APPLICATION)]


def test_another_start_sets_the_slots_anew_and_leaves_other_queues(line: Line) -> None:
    prepare(line, "fixes:one", 3)
    prepare(line, "fixes:two", 4)
    prepare(line, "fixes:one", 2)
    assert {name: slots for name, slots, _, _ in queues(line)} == {"fixes:one": 2, "fixes:two": 4}
