"""Locks between processes: files that the kernel unlocks when whoever holds them ends, however it ends.

A lock's file may be removed by whoever holds it alone: the others notice, and lock the new one.
"""

import fcntl
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.directories import make_private


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until nobody else holds the lock, and hold it. Raises `OSError` when its file cannot be made."""
    descriptor = _acquire(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def if_free(path: Path) -> Iterator[bool]:
    """Hold the lock if nobody else does, without waiting; whether it is held. Raises as `locked` does."""
    try:
        descriptor = _acquire(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


class Leases:
    """Locks that any number may share, each held until `release`, or until this object or its process goes.

    Safe to use from several threads.
    """

    def __init__(self, directory: Path) -> None:
        """The locks are the files of `directory`, each one's modification time its last use."""
        self._directory = directory
        self._held: dict[str, int] = {}
        self._lock = threading.Lock()
        weakref.finalize(self, _close, self._held)

    def hold(self, name: str) -> None:
        """Share a lock, and note the use. Raises as `locked` does."""
        with self._lock:
            if name not in self._held:
                self._held[name] = _acquire(self._directory / name, fcntl.LOCK_SH)
            os.utime(self._held[name])

    def release(self) -> None:
        """Give every lock back."""
        with self._lock:
            _close(self._held)


def _acquire(path: Path, how: int) -> int:
    make_private(path.parent)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, how)
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether a path still names the file that was opened there: another holder may have removed it meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _close(held: dict[str, int]) -> None:
    while held:
        os.close(held.popitem()[1])
