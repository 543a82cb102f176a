"""Package caches: what the clients of one repository's installs downloaded and built, kept for its next install.

On the host a cache is one file that nothing here unpacks: the members of a sanitised tar, then a digest of them. Only
an install of the same repository gets it, on stdin; no test run does.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from sandbox.directories import make_private

SHARE = 2
"""A cache is kept up to this part of its mount, so that an install always has as much room again."""

_DIGEST = hashlib.sha256().digest_size
_CHUNK = 1 << 18
_SUFFIX = ".cache"


class PackageCaches:
    """The caches of one data directory, least recently used out; several processes may share it.

    `OSError` is never raised: without a cache an install only takes longer.
    """

    def __init__(self, directory: Path, most: int) -> None:
        """`most` bounds the bytes of all caches together."""
        self._directory = directory
        self._most = most

    @contextmanager
    def read(self, identity: str, most: int) -> Iterator[Iterator[bytes] | None]:
        """The members of a repository's cache, without a tar's end mark; `None` when it has none.

        One that is damaged, or longer than `most`, is removed.
        """
        path = self._path(identity)
        with ExitStack() as stack:
            size = 0
            with suppress(OSError):
                file = stack.enter_context(path.open("rb"))
                size = _size(file)
                if not (0 < size <= most and _is_whole(file, size)):
                    size = 0
                    path.unlink()
                os.utime(path)
            yield _members(file, size) if size else None

    def keep(self, identity: str, members: Path) -> None:
        """Take over the file `members`, then remove the least recently used caches until all fit."""
        with suppress(OSError):
            make_private(self._directory)
            with members.open("r+b") as file:
                digest = hashlib.file_digest(file, "sha256").digest()
                file.seek(0, os.SEEK_END)
                file.write(digest)
            members.replace(self._path(identity))
            self.evict()

    def drop(self, identity: str) -> None:
        """Remove a repository's cache."""
        with suppress(OSError):
            self._path(identity).unlink(missing_ok=True)

    def evict(self) -> int:
        """Remove the least recently used caches until all fit; returns how many went."""
        found = []
        for path in self._directory.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path.stat().st_size, path))
        total, gone = sum(size for _, size, _ in found), 0
        for _, size, path in sorted(found):
            if total <= self._most:
                break
            with suppress(OSError):
                path.unlink()
                total, gone = total - size, gone + 1
        return gone

    def _path(self, identity: str) -> Path:
        return self._directory / (hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:32] + _SUFFIX)


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size - _DIGEST


def _is_whole(file: BinaryIO, size: int) -> bool:
    digest = hashlib.sha256()
    for data in _members(file, size):
        digest.update(data)
    return digest.digest() == file.read()


def _members(file: BinaryIO, size: int) -> Iterator[bytes]:
    file.seek(0)
    while size > 0:
        data = file.read(min(size, _CHUNK))
        if not data:
            return
        size -= len(data)
        yield data
