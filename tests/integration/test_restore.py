"""What a backup is not restored over, nor through, and which members are not taken."""

import hashlib
import io
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from bot.adapters import backup as backups
from bot.adapters.backup.files import ENGINE, SIDES, STORE
from bot.adapters.store import SqlInbox, connect, migrate
from bot.errors import NoRoomError, StoreError
from bot.events import Delivery

DAMAGE = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA wal_autocheckpoint=0")
connection.execute("DELETE FROM deliveries")
connection.commit()
os._exit(9)
"""


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A backup of a database with one delivery."""
    data = tmp_path / "data"
    url = f"sqlite:///{data}/{STORE}"
    migrate(url)
    engine = connect(url)
    SqlInbox(engine).accept(Delivery("d-1", "issues", b"{}"))
    engine.dispose()
    with backups.writing(tmp_path / "one.tar", backups.Manifest("sqlite", "0001", "1", 1.0)) as archive:
        backups.save_files(archive, data)
    return tmp_path / "one.tar"


def restore(file: Path, data: Path) -> int:
    with backups.opened(file) as (_, archive):
        return backups.restore_files(archive, data)


def add(file: Path, name: str, data: bytes) -> None:
    with tarfile.open(file, "a") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))


def test_what_a_killed_process_left_beside_a_removed_database_is_not_replayed_over_the_backup(saved: Path) -> None:
    data = saved.parent / "data"
    killed = subprocess.run([sys.executable, "-c", DAMAGE, str(data / STORE)], check=False)
    assert (killed.returncode, (data / f"{STORE}-wal").stat().st_size > 0) == (9, True)
    (data / STORE).unlink()
    with pytest.raises(StoreError, match=r"sqlite-wal is there: nothing is restored over it"):
        restore(saved, data)
    for left in data.glob(f"{STORE}-*"):
        left.unlink()
    restore(saved, data)
    with closing(sqlite3.connect(data / STORE)) as connection:
        assert connection.execute("SELECT delivery_id FROM deliveries").fetchall() == [("d-1",)]


@pytest.mark.parametrize("name", [STORE, ENGINE])
@pytest.mark.parametrize("side", SIDES)
def test_whatever_sqlite_would_take_for_a_part_of_the_restored_database_must_be_away_first(
    saved: Path, tmp_path: Path, name: str, side: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    # a link to nothing counts: SQLite writes through it
    (other / f"{name}{side}").symlink_to("nowhere")
    with pytest.raises(StoreError, match="nothing is restored over it"):
        restore(saved, other)
    assert [path.name for path in other.iterdir()] == [f"{name}{side}"]


@pytest.mark.parametrize("name", ["runs/../log.jsonl", "runs/./log.jsonl"])
def test_a_member_that_leads_out_of_its_directory_is_none_of_regreens(saved: Path, tmp_path: Path, name: str) -> None:
    add(saved, name, b"x")
    with pytest.raises(StoreError, match="none of Regreen's"):
        restore(saved, tmp_path / "other")


@pytest.mark.parametrize("link", ["runs", "runs/q"])
def test_nothing_is_restored_through_a_link(saved: Path, tmp_path: Path, link: str) -> None:
    add(saved, "runs/q/log.jsonl", b"x")
    other, elsewhere = tmp_path / "other", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (other / link).parent.mkdir(parents=True)
    (other / link).symlink_to(elsewhere)
    with pytest.raises(StoreError, match="nothing is restored through it"):
        restore(saved, other)
    assert (list(elsewhere.iterdir()), (other / STORE).exists()) == ([], False)


def test_an_artifact_is_what_its_name_says_or_nothing_is_restored(saved: Path, tmp_path: Path) -> None:
    digest, whole = hashlib.sha256(b"log").hexdigest(), saved.read_bytes()
    add(saved, f"artifacts/{digest[:2]}/{digest}", b"log")
    assert restore(saved, tmp_path / "other") == 2
    for number, name in enumerate((f"artifacts/aa/{digest}", f"artifacts/aa/{'a' * 64}")):
        bad = tmp_path / f"{number}.tar"
        bad.write_bytes(whole)
        add(bad, name, b"log")
        with pytest.raises(StoreError, match="not what its name says"):
            restore(bad, tmp_path / "third")
        assert not (tmp_path / "third" / STORE).exists()


def test_a_small_backup_that_unpacks_to_more_than_the_disk_holds_is_refused_first(saved: Path, tmp_path: Path) -> None:
    with tarfile.open(saved, "a", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("runs/q/log.jsonl")
        # one block, that says of itself to be mostly a hole
        sparse = {"major": "1", "minor": "0", "name": member.name, "realsize": str(2**60)}
        member.pax_headers = {f"GNU.sparse.{key}": value for key, value in sparse.items()}
        member.size = 512
        archive.addfile(member, io.BytesIO(b"0\n".ljust(512, b"\0")))
    with pytest.raises(NoRoomError, match=f"needs {2**60} bytes"):
        restore(saved, tmp_path / "other")
