"""A backup is put back, and what was kept is there again: from files, and from Postgres."""

import io
import json
import sqlite3
import tarfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import postgres_server
import pytest
import sqlalchemy as sa
from fakes_store import FakeRuns, FakeTime, fix_issue

from bot import wiring
from bot.adapters.artifacts import FileArtifacts
from bot.adapters.backup.postgres import Client, restore_postgres, save_postgres, without_secrets
from bot.adapters.store import SqlInbox, SqlRuns, connect, metadata, migrate
from bot.commands.backup import backup, restore
from bot.engine.durable import DurableEngine, DurableSettings
from bot.engine.ended import DurableJobs
from bot.engine.lock import locked
from bot.errors import ConfigurationError, StoreError
from bot.events import Delivery
from bot.jobs import JobOutcome, State, job_id
from bot.repair.reproduction.written import WrittenTest
from bot.settings import Settings, libpq_variables
from bot.wiring import storage

ENDED = JobOutcome(State.GREEN, "Nothing to fix")
TEST = WrittenTest("tests/test_x.py", b"def test_x(): ...\n", "AssertionError", "m", "because")
RUN = job_id(fix_issue(7))


def settings(directory: Path, url: str = "") -> Settings:
    return Settings(data_dir=directory, database_url=url)  # type: ignore[arg-type]  # as the environment gives it


def fill(these: Settings) -> str:
    """Something of everything that is kept; returns an artifact's name."""
    url = wiring.database_url(these)
    migrate(url)
    engine = connect(url)
    inbox = SqlInbox(engine)
    inbox.accept(Delivery("d-1", "issues", b'{"a": "\xc3\xa9"}'))
    inbox.decide("d-1", "queued", RUN)
    inbox.accept(Delivery("d-2", "issues", b"{}"))
    SqlRuns(engine).started(RUN, fix_issue(7))
    storage.logs(these, engine).journal(RUN, FakeTime(), str, str).append("started", {"n": 1})
    storage.reviews(these, engine, "s").keep(TEST)
    digest = storage.artifacts(these, engine).put(b"log" * 1_000)
    engine.dispose()
    return digest


def require_all(these: Settings, digest: str) -> None:
    engine = connect(wiring.database_url(these))
    inbox = SqlInbox(engine)
    assert [found.delivery_id for found in inbox.pending(9)] == ["d-2"]
    assert not inbox.accept(Delivery("d-3", "issues", b'{"a": "\xc3\xa9"}'))
    assert SqlRuns(engine).open() == (RUN,)
    assert [json.loads(line)["event"] for line in storage.logs(these, engine).lines(RUN, 0)] == ["started"]
    assert storage.reviews(these, engine, "s").kept() == (TEST,)
    assert storage.artifacts(these, engine).get(digest) == b"log" * 1_000
    engine.dispose()


@pytest.fixture
def worked(tmp_path: Path) -> Settings:
    """A data directory in which a job ran to its end."""
    these = settings(tmp_path / "data")
    with DurableEngine(
        DurableSettings(these.data_dir), lambda _job, _wrap: ENDED, FakeRuns(), FileArtifacts(these.data_dir / "a")
    ) as engine:
        engine.enqueue(fix_issue(7))
        ended = threading.Event()
        while engine.outcome(RUN) is None and not ended.wait(0.05):
            pass
    return these


@pytest.mark.parametrize("name", ["backup.tar", "backup.tar.gz"])
def test_files_come_back_with_the_engines_record_as_they_were(worked: Settings, tmp_path: Path, name: str) -> None:
    digest = fill(worked)
    shown = backup(worked, tmp_path / name)
    assert (shown.document["kind"], shown.document["members"]) == ("sqlite", 5)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    other = settings(tmp_path / "other")
    assert restore(other, tmp_path / name).good
    require_all(other, digest)
    require_all(worked, digest)
    for directory, _, names in other.data_dir.walk() if hasattr(Path, "walk") else []:
        assert all((directory / one).stat().st_mode & 0o077 == 0 for one in names)
    with DurableEngine(
        DurableSettings(other.data_dir), lambda _job, _wrap: ENDED, FakeRuns(), FileArtifacts(other.data_dir / "a")
    ) as engine:
        assert engine.outcome(RUN) == ENDED
        DurableJobs(sa.create_engine(f"sqlite:///{other.data_dir}/engine.sqlite")).erase((RUN, "nobody"))
        assert (engine.outcome(RUN), engine.job(RUN)) == (None, None)
    with closing(sqlite3.connect(other.data_dir / "engine.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM operation_outputs").fetchone() == (0,)


def test_both_databases_are_saved_as_of_one_moment_while_others_write(tmp_path: Path) -> None:
    these = settings(tmp_path / "data")
    fill(these)
    paths = [these.data_dir / name for name in ("regreen.sqlite", "engine.sqlite")]
    for path in paths:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("CREATE TABLE counted (n INTEGER)")
    stop = threading.Event()

    def write() -> None:
        connections = [sqlite3.connect(path, timeout=60, isolation_level=None) for path in paths]
        number = 0
        while not stop.is_set():
            for connection in connections:
                connection.execute("INSERT INTO counted VALUES (?)", (number,))
            number += 1
        for connection in connections:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(4):
            backup(these, tmp_path / f"{number}.tar")
    finally:
        stop.set()
        writer.join()
    for number in range(4):
        other = settings(tmp_path / f"other-{number}")
        restore(other, tmp_path / f"{number}.tar")
        with closing(sqlite3.connect(other.data_dir / "regreen.sqlite")) as connection:
            connection.execute("ATTACH ? AS engine", (str(other.data_dir / "engine.sqlite"),))
            first, second = (
                connection.execute(f"SELECT count(*) FROM {name}counted").fetchone()[0]  # noqa: S608 - our own names
                for name in ("main.", "engine.")
            )
        assert 0 <= first - second <= 1


def test_nothing_is_written_over(tmp_path: Path) -> None:
    these = settings(tmp_path / "data")
    fill(these)
    backup(these, tmp_path / "one.tar")
    with pytest.raises(StoreError, match="is there already"):
        backup(these, tmp_path / "one.tar")
    with pytest.raises(StoreError, match="nothing is restored over it"):
        restore(these, tmp_path / "one.tar")
    other = tmp_path / "other"
    other.mkdir()
    with locked(other / "worker.lock"), pytest.raises(ConfigurationError, match="Another worker"):
        restore(settings(other), tmp_path / "one.tar")


def _tar(path: Path, members: dict[str, bytes], link: str = "") -> None:
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        if link:
            member = tarfile.TarInfo(link)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)


MANIFEST = json.dumps({"kind": "sqlite", "schema": "0001", "version": "1", "at": 1.0, "format": 1}).encode()


@pytest.mark.parametrize(
    ("members", "link", "said"),
    [
        ({}, "", "no backup"),
        ({"manifest.json": b"[]"}, "", "no backup"),
        ({"manifest.json": MANIFEST.replace(b'"format": 1', b'"format": 2')}, "", "format 2"),
        ({"manifest.json": MANIFEST.replace(b"0001", b"9999")}, "", "of a newer Regreen"),
        ({"manifest.json": MANIFEST.replace(b"sqlite", b"postgres")}, "", "of postgres; the settings name sqlite"),
        ({"manifest.json": MANIFEST}, "", "holds no regreen.sqlite"),
        ({"manifest.json": MANIFEST, "regreen.sqlite": b"damaged" * 999}, "", "is damaged"),
        ({"manifest.json": MANIFEST, "../outside": b"x"}, "", "none of Regreen's"),
        ({"manifest.json": MANIFEST, "runs/../../outside/log.jsonl": b"x"}, "", "none of Regreen's"),
        ({"manifest.json": MANIFEST}, "regreen.sqlite", "none of Regreen's"),
    ],
)
def test_a_file_that_is_no_sound_backup_leaves_nothing_behind(
    tmp_path: Path, members: dict[str, bytes], link: str, said: str
) -> None:
    _tar(tmp_path / "one.tar", members, link)
    with pytest.raises(StoreError, match=said):
        restore(settings(tmp_path / "deep" / "data"), tmp_path / "one.tar")
    left = [path.name for path in (tmp_path / "deep").rglob("*") if path.name not in {"data", "worker.lock"}]
    assert (left, sorted(path.name for path in tmp_path.iterdir())) in [([], ["deep", "one.tar"]), ([], ["one.tar"])]


@pytest.fixture
def emptied(postgres_cluster: postgres_server.Cluster) -> Iterator[str]:
    url = postgres_cluster.create()
    yield url
    postgres_cluster.drop(url)


@pytest.fixture
def with_programs(postgres_cluster: postgres_server.Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{postgres_cluster.binaries}:/usr/bin:/bin")


@pytest.mark.usefixtures("with_programs")
def test_postgres_comes_back_row_for_row(postgres: str, emptied: str, tmp_path: Path) -> None:
    these, other = settings(tmp_path, postgres), settings(tmp_path, emptied)
    digest = fill(these)
    engine = connect(postgres)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE SCHEMA dbos"))
        connection.execute(sa.text("CREATE TABLE dbos.workflow_status AS SELECT 'one' AS workflow_uuid"))
    assert backup(these, tmp_path / "one.tar").document["kind"] == "postgres"
    assert restore(other, tmp_path / "one.tar").good
    copied = connect(emptied)
    with engine.connect() as one, copied.connect() as two:
        for table in metadata.sorted_tables:
            assert one.execute(sa.select(table)).all() == two.execute(sa.select(table)).all(), table.name
        assert two.execute(sa.text("SELECT workflow_uuid FROM dbos.workflow_status")).scalars().all() == ["one"]
    for made in (engine, copied):
        made.dispose()
    require_all(other, digest)
    with pytest.raises(StoreError, match="nothing is restored over them"):
        restore(other, tmp_path / "one.tar")


def test_without_its_programs_postgres_is_not_saved_and_the_remedy_names_them(tmp_path: Path) -> None:
    with (
        tarfile.open(tmp_path / "one.tar", "w") as archive,
        pytest.raises(ConfigurationError, match="pg_dump") as caught,
    ):
        save_postgres(archive, "postgresql+psycopg://u@h/d", tmp_path, Client({}, lambda _: None))
    assert "postgresql-client" in caught.value.remedy


def test_postgres_is_saved_and_restored_over_the_connection_that_the_environment_names(
    postgres: str, emptied: str, tmp_path: Path, postgres_cluster: postgres_server.Cluster
) -> None:
    migrate(postgres)
    engine = connect(postgres)
    SqlInbox(engine).accept(Delivery("d-1", "issues", b"{}"))
    engine.dispose()
    variables = {"PGHOST": "127.0.0.1", "PGPORT": str(postgres_cluster.port), "PGSSLMODE": "disable"}
    client = Client(variables, lambda name: str(postgres_cluster.binaries / name))
    elsewhere = f"postgresql+psycopg://regreen:pw@/{postgres.rpartition('/')[2]}"
    with tarfile.open(tmp_path / "one.tar", "w") as archive:
        assert save_postgres(archive, elsewhere, tmp_path, client) == 1
    with tarfile.open(tmp_path / "one.tar") as archive:
        assert restore_postgres(archive, emptied, client) == 1
    engine = connect(emptied)
    assert [found.delivery_id for found in SqlInbox(engine).pending(9)] == ["d-1"]
    engine.dispose()


@pytest.mark.parametrize("password", ["", ":pw"])
def test_no_password_makes_the_connection_weaker_than_the_environment_asks_for(tmp_path: Path, password: str) -> None:
    program = tmp_path / "pg_dump"
    program.write_text(f"#!/bin/sh\nenv > {tmp_path}/environment\nexit 1\n")
    program.chmod(0o755)
    asked = {"PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/etc/ca.pem", "PGHOST": "db", "HOME": "/home/ann"}
    client = Client(asked, lambda _: str(program))
    with tarfile.open(tmp_path / "one.tar", "w") as archive, pytest.raises(StoreError, match="pg_dump failed"):
        save_postgres(archive, f"postgresql+psycopg://u{password}@/d", tmp_path, client)
    given = dict(line.split("=", 1) for line in (tmp_path / "environment").read_text().splitlines())
    assert {name: given.get(name) for name in asked} == asked


def test_only_what_decides_how_postgres_is_reached_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGSSLROOTCERT", "REGREEN_OPERATOR_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "x")
    found = libpq_variables()
    assert ("PGSSLROOTCERT" in found, found.keys() & {"REGREEN_OPERATOR_TOKEN", "OPENAI_API_KEY"}) == (True, set())


def test_the_password_is_no_argument_and_in_no_environment(tmp_path: Path) -> None:
    program = tmp_path / "pg_dump"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\nenv > {tmp_path}/environment\n'
        f'cat "$PGPASSFILE" > {tmp_path}/passwords\nstat -c %a "$PGPASSFILE" > {tmp_path}/mode\n'
        "echo broken >&2\nexit 1\n"
    )
    program.chmod(0o755)
    url = "postgresql+psycopg://u:hunter2%3A%5Cx@h:5433/d?sslmode=require&sslpassword=hunter2"
    with tarfile.open(tmp_path / "one.tar", "w") as archive, pytest.raises(StoreError, match="pg_dump failed: broken"):
        save_postgres(archive, url, tmp_path, Client({"PGPASSWORD": "hunter2"}, lambda _: str(program)))
    arguments = (tmp_path / "arguments").read_text()
    assert "postgresql://u@h:5433/d?sslmode=require" in arguments
    assert "hunter2" not in arguments + (tmp_path / "environment").read_text()
    assert (tmp_path / "passwords").read_text() == "*:*:*:*:hunter2\\:\\\\x\n"
    assert (tmp_path / "mode").read_text() == "600\n"
    assert "hunter2" not in without_secrets(url)
    assert list(tmp_path.glob(".backup-*")) == []
