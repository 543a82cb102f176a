"""The run log: one JSON line an event, each carrying the hash of the line before it, secrets redacted on the way in.

Appending is not a recorded step. A replay appends every event again from the first; a line that is there already, with
the same number and the same event, is left as it is. So a crash at any point neither loses nor doubles a line.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import LogError
from bot.pipeline.runlog import FIRST, Entry, bounded, digest, line, verified
from bot.repair.ports import Clock, Json


@dataclass(slots=True)
class FileJournal:
    """`Journal` over one file; made anew for each execution of a job, used by one thread.

    `redact` is for what is read, `exact` for what is decided on: names and ids must stay what they are.
    """

    path: Path
    clock: Clock
    redact: Callable[[str], str]
    exact: Callable[[str], str] | None = None
    _number: int = 0
    _known: list[tuple[str, str]] | None = None
    _head: str = field(default=FIRST)

    @property
    def head(self) -> str:
        """The digest of the last line that was appended; zeros before the first."""
        return self._head

    def conceal(self, text: str) -> str:
        """The text without this installation's own secrets."""
        return (self.exact or self.redact)(text)

    def append(self, event: str, fields: Json) -> None:
        """Write the event, on disk when this returns, unless an earlier execution did. Raises `LogError`."""
        self.record(event, fields, b"")

    def record(self, event: str, fields: Json, payload: bytes) -> None:
        """Write the event with one value of which nothing is cut; that one is redacted already. Raises `LogError`."""
        known = self._opened()
        if self._number < len(known):
            was, self._head = known[self._number]
            if was != event:
                raise LogError(
                    f"Line {self._number} of the run log says {was!r}, not {event!r}",
                    "The job's code changed while it was under way: put the label on again.",
                )
        else:
            self._write(event, fields, payload)
        self._number += 1

    def _opened(self) -> list[tuple[str, str]]:
        """The events that an earlier execution wrote, with the digests of their lines."""
        if self._known is not None:
            return self._known
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(error) from None
        whole = _whole_lines(self.path)
        self._known = [(entry.event, entry.digest) for entry in verified(whole, self.path.name)]
        if self.path.exists():
            # A line that a crash tore was never acknowledged.
            os.truncate(self.path, sum(map(len, whole)))
        return self._known

    def _write(self, event: str, fields: Json, payload: bytes) -> None:
        entry = Entry(self._number, self.clock.now(), event, bounded(fields, self.redact), payload)
        data = line(entry, self._head)
        try:
            _append(self.path, data)
        except OSError as error:
            raise _unwritable(error) from None
        self._head = digest(data)


def _append(path: Path, data: bytes) -> None:
    """All of it or nothing: what a full disk took of a line would make the next one unreadable."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        size = os.fstat(descriptor).st_size
        try:
            while data:
                data = data[file.write(data) :]
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise


def _unwritable(error: OSError) -> LogError:
    return LogError(f"The run log cannot be written: {error.strerror}", "Free space in the data directory.")


def read(path: Path) -> tuple[Entry, ...]:
    """The whole log, its chain verified; a torn last line is left out. Raises `LogError`.

    A chain shows a changed, lost or inserted line; it cannot show that the last lines were cut off.
    """
    return tuple(verified(_whole_lines(path), path.name))


def _whole_lines(path: Path) -> list[bytes]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LogError(f"The run log cannot be read: {error.strerror}", "Check its permissions.") from None
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
