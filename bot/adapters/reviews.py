"""Tests that wait for a person's word: files on this machine, named by what they hold."""

import errno
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter

from bot.adapters.artifacts import write_whole
from bot.errors import NoRoomError, StoreError
from bot.repair.reproduction.written import WrittenTest
from sandbox.directories import make_private

MAX_KEPT = 50
_AGAIN = "Put the label on again."
_NAME = re.compile(r"(\d{4})-([0-9a-f]{64})\.json")
_ADAPTER = TypeAdapter(tuple[WrittenTest], config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"))


def packed(test: WrittenTest) -> bytes:
    """A test as it is kept."""
    return _ADAPTER.dump_json((test,))


def unpacked(digest: str, data: bytes) -> WrittenTest:
    """The test again. Raises `StoreError` for one that is not what it was."""
    try:
        (test,) = _ADAPTER.validate_json(data)
    except ValueError:
        raise unreadable(digest) from None
    if test.digest != digest:
        raise StoreError(f"The kept test {digest[:12]} was changed", _AGAIN)
    return test


def unreadable(digest: str) -> StoreError:
    """What is said of a test that cannot be read."""
    return StoreError(f"The kept test {digest[:12]} cannot be read", _AGAIN)


def key(subject: str) -> str:
    """What a subject's tests are kept under: whatever its name holds, every file system and database takes this."""
    return hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class FileReviews:
    """Implements `Reviews` for one subject. `subject` tells it from every other, of other repositories, too."""

    directory: Path
    subject: str

    def keep(self, test: WrittenTest) -> str:
        """Keep a test, see `Reviews`. Raises `StoreError`, `NoRoomError`."""
        names = self._names()
        if not any(digest == test.digest for _, digest in names):
            number = max((number for number, _ in names), default=0) + 1
            target = self._own / f"{number:04}-{test.digest}.json"
            try:
                make_private(self._own)
                write_whole(target, packed(test))
            except OSError as error:
                if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                    raise NoRoomError(
                        "A test cannot be kept: the disk is full", "Free space in the data directory."
                    ) from None
                raise StoreError(f"A test cannot be kept: {error.strerror}", "Check the data directory.") from None
        return test.digest

    def kept(self) -> tuple[WrittenTest, ...]:
        """The tests, oldest first, at most the last 50. Raises `StoreError`."""
        return tuple(self._read(number, digest) for number, digest in self._names()[-MAX_KEPT:])

    @property
    def _own(self) -> Path:
        return self.directory / key(self.subject)

    def _names(self) -> list[tuple[int, str]]:
        try:
            names = sorted(path.name for path in self._own.iterdir()) if self._own.is_dir() else []
        except OSError as error:
            raise StoreError(f"Kept tests cannot be listed: {error.strerror}", "Check the data directory.") from None
        return [(int(found[1]), found[2]) for name in names if (found := _NAME.fullmatch(name))]

    def _read(self, number: int, digest: str) -> WrittenTest:
        try:
            data = (self._own / f"{number:04}-{digest}.json").read_bytes()
        except OSError:
            raise unreadable(digest) from None
        return unpacked(digest, data)
