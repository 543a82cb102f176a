"""`regreen migrate`, `backup` and `restore` as they are typed."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.adapters.store import SqlFleet, SqlInbox, connect, schema
from bot.cli import app
from bot.commands.deliveries import replayed
from bot.engine.lock import locked
from bot.errors import StoreError
from bot.events import Delivery
from bot.pipeline.ports.fleet import Member
from bot.settings import Settings
from bot.triggers import Ignore

RUN = CliRunner()
UNKNOWN = "9999"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("REGREEN_DATABASE_URL", raising=False)
    return tmp_path / "data"


def typed(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = RUN.invoke(app, [*arguments, "--json"])
    return done.exit_code, json.loads(done.stdout)


def test_a_schema_is_checked_made_and_taken_back(data: Path) -> None:
    known = schema(f"sqlite:///{data}/regreen.sqlite").known
    status, found = typed("migrate", "--check")
    assert (status, found["is"], found["missing"]) == (1, "", list(known))
    assert not data.exists()
    assert typed("migrate") == (0, {"was": "", "is": known[-1], "where": "sqlite"})
    assert typed("migrate", "--check")[0] == 0
    status, found = typed("migrate", "--to", known[-2])
    assert (status, "drops" in found["error"]["cause"], typed("migrate", "--check")[0]) == (3, True, 0)
    assert typed("migrate", "--to", known[-2], "--lose-data") == (
        0,
        {"was": known[-1], "is": known[-2], "where": "sqlite"},
    )
    status, found = typed("migrate", "--check")
    assert (status, found["missing"]) == (1, [known[-1]])
    status, found = typed("migrate", "--to", UNKNOWN)
    assert (status, found["error"]["kind"]) == (3, "StoreError")
    assert known[-1] in found["error"]["remedy"]


def test_the_schema_does_not_go_back_beside_a_worker(
    data: Path, monkeypatch: pytest.MonkeyPatch, postgres: str
) -> None:
    known = schema(f"sqlite:///{data}/regreen.sqlite").known
    back = ("migrate", "--to", known[0], "--lose-data")
    typed("migrate")
    with locked(data / "worker.lock"):
        status, found = typed(*back)
        assert (status, found["error"]["kind"]) == (3, "ConfigurationError")
        assert typed("migrate")[0] == typed("migrate", "--check")[0] == 0
    assert typed(*back)[0] == 0
    monkeypatch.setenv("REGREEN_DATABASE_URL", postgres)
    typed("migrate")
    with closing(SqlFleet(connect(postgres))) as fleet:
        fleet.enlist(Member("one", "host", 1, "3", 2, 60.0))
        status, found = typed(*back)
        assert (status, "living workers, such as one" in found["error"]["cause"]) == (3, True)
        assert typed("migrate", "--check")[0] == 0
        fleet.leave("one")
    # the older schema knows no workers, and is asked for none
    assert (typed("migrate", "--to", known[1], "--lose-data")[0], typed(*back)[0]) == (0, 0)


def test_a_newer_schema_is_told_of_by_the_check_and_refused_by_everything_else(data: Path) -> None:
    typed("migrate")
    engine = connect(f"sqlite:///{data}/regreen.sqlite")
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    status, found = typed("migrate", "--check")
    assert (status, found["newer"]) == (1, True)
    for arguments in (["migrate"], ["deliveries", "list"], ["backup", str(data / "one.tar")]):
        status, found = typed(*arguments)
        assert status == 3, arguments
        assert "of a newer Regreen" in found["error"]["cause"]


def test_what_was_saved_is_restored_elsewhere(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.tar.gz"
    status, found = typed("backup", str(file))
    assert (status, found["error"]["cause"]) == (3, "There is nothing to back up: the database has no tables")
    assert not file.exists()
    typed("migrate")
    engine = connect(f"sqlite:///{data}/regreen.sqlite")
    SqlInbox(engine).accept(Delivery("d-1", "issues", b"{}"))
    engine.dispose()
    status, found = typed("backup", str(file))
    assert (status, found["kind"], found["bytes"]) == (0, "sqlite", file.stat().st_size)
    assert typed("restore", str(file))[1]["error"]["cause"].endswith("nothing is restored over it")
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "other"))
    status, found = typed("restore", str(file))
    assert (status, found["members"]) == (0, 1)
    assert [one["id"] for one in typed("deliveries", "list")[1]["deliveries"]] == ["d-1"]
    assert RUN.invoke(app, ["restore", str(tmp_path / "none.tar")]).exit_code == 2


def test_a_delivery_whose_body_is_gone_is_shown_and_not_decided_again(data: Path) -> None:
    typed("migrate")
    engine = connect(f"sqlite:///{data}/regreen.sqlite")
    SqlInbox(engine).accept(Delivery("d-1", "issues", b"{}"))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE deliveries SET body = x'', decided_at = 1, decision = 'another label'")
    engine.dispose()
    assert typed("deliveries", "show", "d-1")[0] == 0
    asked: list[Delivery] = []

    def decide(delivery: Delivery) -> Ignore:
        asked.append(delivery)
        return Ignore("asked")

    for apply in (False, True):
        with pytest.raises(StoreError, match="only its digest is"):
            replayed(Settings(data_dir=data), "d-1", decide, apply=apply)
    assert asked == []
