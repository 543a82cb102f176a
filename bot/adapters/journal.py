"""The run log: one JSON line an event, each carrying the hash of the line before it, secrets redacted on the way in.

Appending is not a recorded step. A replay appends every event again from the first; a line that is there already, with
the same number and the same event, is left as it is. So a crash at any point neither loses nor doubles a line.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from bot.codec import digest
from bot.errors import LogError
from bot.pipeline.logs.runlog import FIRST, Entry, bounded, line, payload_of, verified
from bot.repair.ports import Clock, Json

MAX_TOTAL = 1 << 30
"""Bytes of all values of a log together, when it is read whole."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A line that is there already, and where, in bytes: its value is read again when it is asked for."""

    event: str
    digest: str
    start: int
    size: int


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
    _known: list[_Held] | None = None
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

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        """Write the event with one value of which nothing is cut; that one is redacted already.

        Returns the value that the log holds at this place, which an earlier execution may have written. Raises
        `LogError`.
        """
        known = self._opened()
        if self._number < len(known):
            held = known[self._number]
            if held.event != event:
                raise LogError(
                    f"Line {self._number} of the run log says {held.event!r}, not {event!r}",
                    "The job's code changed while it was under way: put the label on again.",
                )
            self._head = held.digest
            payload = payload and self._payload(held)
        else:
            self._write(event, fields, payload)
        self._number += 1
        return payload

    def _payload(self, held: _Held) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(held.start)
                return payload_of(file.read(held.size))
        except (OSError, ValueError) as error:
            raise LogError(f"The run log cannot be read: {error}", "Check its permissions.") from None

    def _opened(self) -> list[_Held]:
        """What an earlier execution wrote."""
        if self._known is not None:
            return self._known
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(error) from None
        whole = _whole_lines(self.path)
        starts = accumulate(map(len, whole), initial=0)
        self._known = [
            _Held(entry.event, entry.digest, start, len(data))
            for entry, start, data in zip(verified(whole, self.path.name), starts, whole, strict=False)
        ]
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
    entries: list[Entry] = []
    room = MAX_TOTAL
    for entry in verified(_whole_lines(path), path.name):
        room -= len(entry.payload)
        if room < 0:
            raise LogError(
                f"The values in {path.name} take more than {MAX_TOTAL >> 20} MiB",
                "A run of Regreen's makes no such log; do not trust where it comes from.",
            )
        entries.append(entry)
    return tuple(entries)


def _whole_lines(path: Path) -> list[bytes]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LogError(f"The run log cannot be read: {error.strerror}", "Check its permissions.") from None
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
