"""What every place for artifacts, run logs and tests that wait does: files, and tables on SQLite and Postgres."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from fakes_store import FakeTime

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.journal import whole
from bot.adapters.logs import FileLogs, LogStore
from bot.adapters.reviews import FileReviews
from bot.adapters.store import SqlArtifacts, SqlLogs, SqlReviews, connect, migrate
from bot.errors import LogError, StoreError
from bot.pipeline.logs.recording import Artifacts
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.job import Reviews
from bot.repair.ports import Journal
from bot.repair.reproduction.written import WrittenTest

SECRET = "hunter2-and-then-some"
FIRST = WrittenTest(
    "tests/test_issue_7.py", b"def test_x():\r\n    assert '\xc3\xa9\0'\n", "AssertionError: x", "m", "because"
)
SECOND = replace(FIRST, content=b"def test_y(): ...\n")
RUN = "octo/fizz:issue-7:d-1"


class Files:
    """What one machine keeps."""

    def __init__(self, directory: Path) -> None:
        self.artifacts: Artifacts = FileArtifacts(directory / "artifacts")
        self.logs: LogStore = FileLogs(directory / "runs")
        self._directory = directory

    def reviews(self, subject: str) -> Reviews:
        return FileReviews(self._directory / "reviews", subject)

    def damage(self) -> None:
        for path in self._directory.rglob("*"):
            if path.is_file():
                path.write_bytes(path.read_bytes().replace(b"test_issue_7", b"test_issue_8").replace(b"log", b"lag"))


@dataclass(frozen=True)
class Tables:
    """What several machines share."""

    engine: sa.Engine

    @property
    def artifacts(self) -> Artifacts:
        return SqlArtifacts(self.engine)

    @property
    def logs(self) -> LogStore:
        return SqlLogs(self.engine)

    def reviews(self, subject: str) -> Reviews:
        return SqlReviews(self.engine, subject)

    def damage(self) -> None:
        with self.engine.begin() as connection:
            for table, column in (("artifacts", "data"), ("written_tests", "content")):
                found = connection.execute(sa.text(f"SELECT {column} FROM {table}")).scalars().all()  # noqa: S608 - our own names
                for data in found:
                    changed = bytes(data).replace(b"test_issue_7", b"test_issue_8").replace(b"log", b"lag")
                    connection.execute(sa.text(f"UPDATE {table} SET {column} = :new"), {"new": changed})  # noqa: S608 - our own names


@pytest.fixture(params=["files", "sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Files | Tables]:
    if request.param == "files":
        yield Files(tmp_path)
        return
    url = request.getfixturevalue("postgres") if request.param == "postgres" else f"sqlite:///{tmp_path / 'one.sqlite'}"
    migrate(url)
    engine = connect(url)
    yield Tables(engine)
    engine.dispose()


def journal(place: Files | Tables, identity: str = RUN) -> Journal:
    return place.logs.journal(identity, FakeTime(), lambda text: text.replace(SECRET, "[redacted]"), str)


def entries(place: Files | Tables, identity: str = RUN) -> tuple[Entry, ...]:
    return whole(list(place.logs.lines(identity, 0)), identity)


def test_an_artifact_is_named_by_its_hash_and_comes_back_whole(place: Files | Tables) -> None:
    data = bytes(range(256)) * 2_000
    assert place.artifacts.put(data) == place.artifacts.put(data) == hashlib.sha256(data).hexdigest()
    assert place.artifacts.get(place.artifacts.put(b"")) == b""
    assert place.artifacts.get(hashlib.sha256(data).hexdigest()) == data


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "", "0" * 63 + "/", "\0"])
def test_a_missing_or_malformed_artifact_is_a_store_error(place: Files | Tables, name: str) -> None:
    with pytest.raises(StoreError):
        place.artifacts.get(name)


def test_a_changed_artifact_or_test_is_not_believed(place: Files | Tables) -> None:
    digest = place.artifacts.put(b"log")
    place.reviews("s").keep(FIRST)
    place.damage()
    with pytest.raises(StoreError, match="changed"):
        place.artifacts.get(digest)
    with pytest.raises(StoreError, match="Put the label on again"):
        place.reviews("s").kept()


def test_of_many_who_put_the_same_at_once_all_succeed(place: Files | Tables) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(place.artifacts.put, [b"same"] * 12))) == 1


def test_kept_tests_come_back_as_they_were_oldest_first(place: Files | Tables) -> None:
    reviews = place.reviews("o/r issue-7")
    assert reviews.kept() == ()
    assert [reviews.keep(test) for test in (SECOND, FIRST, SECOND)] == [SECOND.digest, FIRST.digest, SECOND.digest]
    assert place.reviews("o/r issue-7").kept() == (SECOND, FIRST)
    assert place.reviews("o/r issue-8").kept() == place.reviews("odd \ud800\0").kept() == ()


def test_of_many_kept_tests_the_last_fifty_are_told(place: Files | Tables) -> None:
    tests = [replace(FIRST, content=b"%d" % number) for number in range(52)]
    for test in tests:
        place.reviews("s").keep(test)
    assert place.reviews("s").kept() == tuple(tests[2:])


def test_events_are_numbered_timed_chained_and_redacted(place: Files | Tables) -> None:
    log = journal(place)
    log.append("started", {"task": f"is {SECRET}"})
    assert log.record("called", {"call": "x"}, b"v" * 100_000) == b"v" * 100_000
    first, second = entries(place)
    assert (first.number, first.at, first.event, dict(first.fields)) == (
        0,
        1_000.0,
        "started",
        {"task": "is [redacted]"},
    )
    assert (second.payload, second.digest) == (b"v" * 100_000, log.head)
    assert log.conceal(SECRET) == SECRET


def test_a_replay_adds_nothing_until_it_is_past_what_was_written_and_gets_what_stands(place: Files | Tables) -> None:
    first = journal(place)
    heads = []
    for event in ("opened", "called"):
        first.record(event, {}, event.encode())
        heads.append(first.head)
    again = journal(place)
    assert [again.record(event, {"late": 1}, b"other") for event in ("opened", "called", "called")] == [
        b"opened",
        b"called",
        b"other",
    ]
    assert [entry.digest for entry in entries(place)] == [*heads, again.head]


def test_a_replay_that_takes_another_way_is_an_error(place: Files | Tables) -> None:
    journal(place).append("started", {})
    with pytest.raises(LogError, match="started"):
        journal(place).append("stopped", {})


def test_each_run_has_its_own_log_of_which_the_new_lines_can_be_asked_for(place: Files | Tables) -> None:
    odd = f"{RUN}/../../x é"
    for identity in (RUN, odd):
        log = journal(place, identity)
        for event in ("a", "b", "c"):
            log.append(event, {"run": identity})
    assert place.logs.lines("nobody", 0) == ()
    assert place.logs.lines(RUN, 1) == place.logs.lines(RUN, 0)[1:]
    assert place.logs.lines(RUN, 3) == place.logs.lines(RUN, 99) == ()
    sizes = [sum(map(len, place.logs.lines(RUN, first))) for first in (0, 1, 3)]
    assert [place.logs.size(RUN, first) for first in (0, 1, 3)] == sizes
    assert b"".join(place.logs.pieces(RUN)) == b"".join(place.logs.lines(RUN, 0))
    assert (place.logs.size("nobody", 0), list(place.logs.pieces("nobody"))) == (0, [])
    assert [place.logs.remove(RUN), place.logs.remove(RUN), place.logs.lines(RUN, 0)] == [True, False, ()]
    assert [entry.fields["run"] for entry in entries(place, odd)] == [odd] * 3


@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
def test_two_workers_that_have_one_run_for_a_moment_leave_one_chain(place: Tables) -> None:
    one, other = journal(place), journal(place)
    for log in (one, other):
        log.append("started", {})
    assert one.record("called", {}, b"one") == b"one"
    assert other.record("called", {}, b"other") == b"one"
    other.append("judged", {})
    with pytest.raises(LogError, match="judged"):
        one.append("stopped", {})
    assert [entry.event for entry in entries(place)] == ["started", "called", "judged"]
