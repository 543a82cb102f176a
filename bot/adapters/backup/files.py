"""SQLite's two databases and the files beside them, saved while everything runs, and put back."""

import hashlib
import os
import re
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path, PurePosixPath

from bot.adapters.backup.archive import MANIFEST, add_file, said
from bot.errors import NoRoomError, StoreError

STORE, ENGINE = "regreen.sqlite", "engine.sqlite"
LOGS, ARTIFACTS, REVIEWS = "runs/*/log.jsonl", "artifacts/??/*", "reviews/*/*.json"
SIDES = ("", "-wal", "-shm", "-journal")
"""What SQLite keeps beside a database, and takes for a part of whichever file has the database's name."""
BUSY_SECONDS = 30.0
_MEMBER = re.compile(
    r"(?:regreen|engine)\.sqlite|runs/(?!\.{1,2}/)[A-Za-z0-9._-]{1,200}/log\.jsonl|artifacts/[0-9a-f]{2}/[0-9a-f]{64}"
    r"|reviews/[0-9a-f]{64}/\d{4}-[0-9a-f]{64}\.json"
)


def save_files(archive: tarfile.TarFile, data_dir: Path) -> int:
    """Add both databases and all files, and return how many members that were. Raises `StoreError`.

    The order makes it one picture. What the databases say is of one moment. Logs come before them: a job that goes on
    writes again what its log lacks, and takes what it has too much for another's. Artifacts and tests come after them:
    a step has put there what it names.
    """
    try:
        count = _add_all(archive, data_dir, LOGS)
        with tempfile.TemporaryDirectory(dir=data_dir, prefix=".backup-") as place:
            for copy in _copies(data_dir, Path(place)):
                count += add_file(archive, copy.name, copy)
                copy.unlink()
        return count + _add_all(archive, data_dir, ARTIFACTS) + _add_all(archive, data_dir, REVIEWS)
    except sqlite3.Error as error:
        raise StoreError(f"A database cannot be read: {error}", "Check the data directory's disk.") from None


def restore_files(archive: tarfile.TarFile, data_dir: Path) -> int:
    """Put a backup's members into a data directory without databases; returns how many. Raises `StoreError`.

    Everything is unpacked and looked at first; the databases are moved in last.
    """
    for name in (STORE, ENGINE):
        for side in SIDES:
            _require_absent(data_dir / f"{name}{side}")
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data_dir, prefix=".restore-") as place:
        names = [_unpack(archive, member, Path(place)) for member in archive if member.name != MANIFEST]
        for name in (STORE, ENGINE):
            _require_sound(Path(place) / name)
        for name in names:
            _require_no_link(data_dir, name)
        for name in sorted(names, key=lambda name: name in {STORE, ENGINE}):
            target = data_dir / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            (Path(place) / name).replace(target)
    return len(names)


def _require_absent(path: Path) -> None:
    if os.path.lexists(path):
        raise StoreError(
            f"{path} is there: nothing is restored over it",
            "Stop server and worker and move the data directory away, or set REGREEN_DATA_DIR to a new one.",
        )


def _require_no_link(data_dir: Path, name: str) -> None:
    for part in PurePosixPath(name).parents:
        if str(part) != "." and (data_dir / part).is_symlink():
            raise StoreError(f"{data_dir / part} is a link: nothing is restored through it", "Move it away.")


def _add_all(archive: tarfile.TarFile, data_dir: Path, pattern: str) -> int:
    named = ((str(path.relative_to(data_dir)), path) for path in sorted(data_dir.glob(pattern)))
    return sum(add_file(archive, name, path) for name, path in named if _MEMBER.fullmatch(name))


def _copies(data_dir: Path, place: Path) -> Iterator[Path]:
    """A copy of each database as they were at one moment; writers wait for no longer than that moment lasts."""
    with ExitStack() as stack:
        readers = {}
        with _no_writer(data_dir / STORE):
            for name in (STORE, ENGINE):
                if (data_dir / name).exists():
                    reader = stack.enter_context(closing(_connect(data_dir / name)))
                    reader.execute("BEGIN")
                    # only what is read begins the transaction, whose picture the copy then is of
                    reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
                    readers[name] = reader
        for name, reader in readers.items():
            with closing(sqlite3.connect(place / name)) as target:
                reader.backup(target)
            yield place / name


@contextmanager
def _no_writer(database: Path) -> Iterator[None]:
    if not database.exists():
        raise StoreError(f"There is no database at {database}", "Set REGREEN_DATA_DIR to the one of the worker.")
    with closing(_connect(database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")


def _connect(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(database, timeout=BUSY_SECONDS, isolation_level=None)


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> str:
    content = archive.extractfile(member) if member.isreg() and _MEMBER.fullmatch(member.name) else None
    if content is None:
        raise StoreError(f"The backup holds {member.name!r}, which is none of Regreen's", "Do not trust the file.")
    if member.size > shutil.disk_usage(place).free:
        raise NoRoomError(f"The backup's {member.name} needs {member.size} bytes", "Free space, or restore elsewhere.")
    target = place / member.name
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise said(error, f"{member.name} cannot be restored") from None
    if member.name.startswith("artifacts/"):
        _require_named(target)
    return member.name


def _require_named(artifact: Path) -> None:
    with artifact.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if (artifact.parent.name, artifact.name) != (found[:2], found):
        raise StoreError(
            f"The backup's artifact {artifact.name[:12]} is not what its name says",
            "Restore an older backup, or take that member out of this one with tar.",
        )


def _require_sound(database: Path) -> None:
    if not database.exists():
        if database.name == ENGINE:
            return
        raise StoreError(f"The backup holds no {database.name}", "Name a whole backup.")
    with closing(sqlite3.connect(database)) as connection:
        try:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        except sqlite3.Error as error:
            found = str(error)
    if found != "ok":
        raise StoreError(f"The backup's {database.name} is damaged: {found}", "Restore an older backup.")
