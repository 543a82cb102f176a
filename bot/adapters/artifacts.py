"""Large step outputs as files, named by what they hold."""

import errno
import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bot.errors import NoRoomError, StoreError
from sandbox.directories import make_private

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileArtifacts:
    """Content-addressed files below `directory`; portable with it, since nothing records a path."""

    directory: Path

    def put(self, data: bytes) -> str:
        """Store the bytes and return their SHA-256 in hex; on disk when this returns, whole or not at all.

        Raises `NoRoomError`, `StoreError`.
        """
        digest = hashlib.sha256(data).hexdigest()
        target = self._path(digest)
        if self._put_again(target, len(data)):
            return digest
        try:
            make_private(target.parent)
            write_whole(target, data)
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                raise NoRoomError("The artifact store has no room left", "Free space in the data directory.") from None
            raise StoreError(f"An artifact cannot be written: {error.strerror}", "Check the data directory.") from None
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes with this SHA-256. Raises `StoreError` when they are missing or no longer what they were."""
        try:
            data = self._path(named(digest)).read_bytes()
        except OSError as error:
            remedy = "Restore the artifacts directory that belongs to this database."
            raise StoreError(f"Artifact {digest[:12]} cannot be read: {error.strerror}", remedy) from None
        return checked(digest, data)

    def prune(self, before: float, most: int) -> int:
        """Remove so many files that were put last before then, in seconds since the epoch; returns how many.

        Raises `StoreError`.
        """
        try:
            old = (path for path in self.directory.glob("??/*") if path.stat().st_mtime < before)
            return sum(_removed(path, before) for path in islice(old, most))
        except OSError as error:
            raise StoreError(f"Artifacts cannot be removed: {error.strerror}", "Check the data directory.") from None

    def _path(self, digest: str) -> Path:
        return self.directory / digest[:2] / digest

    @staticmethod
    def _put_again(target: Path, size: int) -> bool:
        """Whether it is there whole; then it counts as put just now, which keeps `prune` from removing it."""
        try:
            if target.stat().st_size != size:
                return False
            os.utime(target)
        except OSError:
            return False
        return True


def _removed(path: Path, before: float) -> bool:
    """Put aside first: one that is put again meanwhile is either seen then, and comes back, or written anew."""
    aside = path.with_name(f".old-{path.name}")
    path.rename(aside)
    if aside.stat().st_mtime >= before:
        aside.rename(path)
        return False
    aside.unlink()
    return True


def named(digest: str) -> str:
    """The digest, when it is one. Raises `StoreError`."""
    if not _SHA256.fullmatch(digest):
        raise StoreError("An artifact's name is not a SHA-256", "The engine's database is damaged.")
    return digest


def checked(digest: str, data: bytes) -> bytes:
    """The bytes, when they are those of this name. Raises `StoreError`."""
    if hashlib.sha256(data).hexdigest() != digest:
        raise StoreError(f"Artifact {digest[:12]} was changed or damaged", "Restore a backup of the artifacts.")
    return data


def write_whole(target: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all, on disk when this returns. Raises `OSError`."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    parent = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)
