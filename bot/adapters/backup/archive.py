"""The file of a backup: a tar whose first member says what it is of, written whole or not at all, mode 0600."""

import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.errors import NoRoomError, StoreError

FORMAT = 1
MANIFEST = "manifest.json"
MAX_MANIFEST = 64 * 1024
SQLITE, POSTGRES = "sqlite", "postgres"
_NO_BACKUP = "Name a file that `regreen backup` wrote."


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup is of: `kind` is sqlite or postgres, `schema` the version, `at` seconds since the epoch."""

    kind: str
    schema: str
    version: str
    at: float
    format: int = FORMAT


@contextmanager
def writing(path: Path, manifest: Manifest) -> Iterator[tarfile.TarFile]:
    """Add members to a new backup; compressed when its name ends in gz. Raises `StoreError`, `NoRoomError`."""
    if path.exists():
        raise StoreError(f"{path} is there already", "Name a new file: a backup replaces none.")
    name = ""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(descriptor, "wb") as file:
            mode = "w:gz" if path.suffix in {".gz", ".tgz"} else "w"
            with tarfile.open(fileobj=file, mode=mode, format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]  # the mode is one of its literals
                add(archive, MANIFEST, json.dumps(asdict(manifest)).encode())
                yield archive
            file.flush()
            os.fsync(file.fileno())
        # fails where another was first, which a rename would replace
        os.link(name, path)
    except OSError as error:
        raise said(error, f"The backup {path} cannot be written") from None
    finally:
        if name:
            Path(name).unlink(missing_ok=True)


def add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    """Add a member that is in memory."""
    member = _member(name, len(data))
    archive.addfile(member, io.BytesIO(data))


def add_file(archive: tarfile.TarFile, name: str, path: Path) -> bool:
    """Add a file as long as it is now: one that only grows may do so meanwhile. `False`: it is gone."""
    try:
        with path.open("rb") as file:
            archive.addfile(_member(name, os.fstat(file.fileno()).st_size), file)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def opened(path: Path) -> Iterator[tuple[Manifest, tarfile.TarFile]]:
    """A backup to read, member for member. Raises `StoreError` for what is none."""
    try:
        with tarfile.open(path, "r|*") as archive:
            yield _manifest(path, archive), archive
    except (tarfile.TarError, EOFError) as error:
        raise StoreError(f"{path} is no backup, or is damaged: {error}", _NO_BACKUP) from None
    except OSError as error:
        raise said(error, f"The backup {path} cannot be read") from None


def said(error: OSError, what: str) -> StoreError | NoRoomError:
    """An error of the disk as one of ours."""
    if error.errno in {28, 122}:
        return NoRoomError(f"{what}: the disk is full", "Free space there, or name another place.")
    return StoreError(f"{what}: {error.strerror or error}", "Check the place and its permissions.")


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    return member


def _manifest(path: Path, archive: tarfile.TarFile) -> Manifest:
    first = archive.next()
    file = archive.extractfile(first) if first is not None and first.name == MANIFEST and first.isfile() else None
    try:
        found = json.loads(file.read(MAX_MANIFEST)) if file else {}
        manifest = Manifest(
            str(found["kind"]), str(found["schema"]), str(found["version"]), float(found["at"]), int(found["format"])
        )
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"{path} is no backup: it does not say what it holds", _NO_BACKUP) from None
    if manifest.format != FORMAT:
        raise StoreError(
            f"{path} has format {manifest.format}; this Regreen reads {FORMAT}",
            f"Restore it with Regreen {manifest.version}.",
        )
    return manifest
