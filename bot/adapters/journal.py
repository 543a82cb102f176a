"""The run log: one JSON line an event, each carrying the hash of the line before it, secrets redacted on the way in.

Appending is not a recorded step. A replay appends every event again from the first; a line that is there already, with
the same number and the same event, is left as it is. So a crash at any point neither loses nor doubles a line.
"""

import os
from collections.abc import Callable
from io import FileIO
from itertools import accumulate
from pathlib import Path
from typing import Protocol

from bot.codec import digest
from bot.errors import LogError
from bot.pipeline.logs.runlog import FIRST, Entry, bounded, following, line, payload_of, verified
from bot.repair.ports import Clock, Json
from sandbox.directories import make_private

MAX_TOTAL = 1 << 30
"""Bytes of all values of a log together, when it is read whole."""


class Lines(Protocol):
    """Where one log's lines are, numbered from 0; made anew for each execution of a job, used by one thread.

    Every method raises `LogError`.
    """

    @property
    def name(self) -> str:
        """What errors call the log."""
        ...

    def opened(self) -> list[bytes]:
        """The lines that are there; none of them is half written when this returns. Called once, before the others."""
        ...

    def at(self, number: int) -> bytes:
        """One of the lines that were there."""
        ...

    def append(self, number: int, data: bytes) -> bytes:
        """Write the next line, durable when this returns, and return what stands there: another may have been first."""
        ...


class LineJournal:
    """`Journal` over lines; made anew for each execution of a job, used by one thread.

    `redact` is for what is read, `exact` for what is decided on: names and ids must stay what they are.
    """

    def __init__(
        self, lines: Lines, clock: Clock, redact: Callable[[str], str], exact: Callable[[str], str] | None = None
    ) -> None:
        """Keep the parts; nothing is read before the first event."""
        self._lines = lines
        self._clock = clock
        self._redact = redact
        self._exact = exact or redact
        self._number = 0
        self._known: list[tuple[str, str]] | None = None
        self._head = FIRST

    @property
    def head(self) -> str:
        """The digest of the last line that was appended; zeros before the first."""
        return self._head

    @property
    def replaying(self) -> bool:
        """Whether an earlier execution has written what is appended next. Raises `LogError`."""
        return self._number < len(self._opened())

    def conceal(self, text: str) -> str:
        """The text without this installation's own secrets."""
        return self._exact(text)

    def append(self, event: str, fields: Json) -> None:
        """Write the event, durable when this returns, unless an earlier execution did. Raises `LogError`."""
        self.record(event, fields, b"")

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        """Write the event with one value of which nothing is cut; that one is redacted already.

        Returns the value that the log holds at this place, which an earlier execution may have written. Raises
        `LogError`.
        """
        known, number = self._opened(), self._number
        if number < len(known):
            held, self._head = known[number]
            self._require(held, event)
            payload = payload and self._payload(self._lines.at(number))
        else:
            entry = Entry(number, self._clock.now(), event, bounded(fields, self._redact), payload)
            data = line(entry, self._head)
            standing = self._lines.append(number, data)
            if standing != data:
                payload = self._adopted(standing, event)
            self._head = digest(standing)
        self._number += 1
        return payload

    def _adopted(self, standing: bytes, event: str) -> bytes:
        """The payload of a line that another worker wrote meanwhile, one that took this job over or lost it."""
        entry = following(standing, self._number, self._head, self._lines.name)
        self._require(entry.event, event)
        return entry.payload

    def _require(self, held: str, event: str) -> None:
        if held != event:
            raise LogError(
                f"Line {self._number} of the run log says {held!r}, not {event!r}",
                "The job's code changed while it was under way: put the label on again.",
            )

    def _opened(self) -> list[tuple[str, str]]:
        """Event and digest of what an earlier execution wrote."""
        if self._known is None:
            lines = self._lines.opened()
            self._known = [(entry.event, entry.digest) for entry in verified(lines, self._lines.name)]
        return self._known

    @staticmethod
    def _payload(data: bytes) -> bytes:
        try:
            return payload_of(data)
        except ValueError as error:
            raise LogError(f"The run log cannot be read: {error}", "It was changed or damaged.") from None


class FileJournal(LineJournal):
    """`Journal` over one file."""

    def __init__(
        self, path: Path, clock: Clock, redact: Callable[[str], str], exact: Callable[[str], str] | None = None
    ) -> None:
        """Keep the parts; nothing is read or made before the first event."""
        super().__init__(FileLines(path), clock, redact, exact)


class FileLines:
    """`Lines` in one file; it and its directory are made for their owner alone."""

    def __init__(self, path: Path) -> None:
        """Keep the path."""
        self._path = path
        self._starts: list[int] = []

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def opened(self) -> list[bytes]:
        """The whole lines; what a crash tore was never acknowledged, and is cut off."""
        try:
            make_private(self._path.parent)
            whole = whole_lines(self._path)
            self._starts = list(accumulate(map(len, whole), initial=0))
            if self._path.exists():
                os.truncate(self._path, self._starts[-1])
        except OSError as error:
            raise _unwritable(error) from None
        return whole

    def at(self, number: int) -> bytes:
        """A line, read again: values of a long log are not kept in memory."""
        start, end = self._starts[number : number + 2]
        try:
            with self._path.open("rb") as file:
                file.seek(start)
                return file.read(end - start)
        except OSError as error:
            raise LogError(f"The run log cannot be read: {error.strerror}", "Check its permissions.") from None

    def append(self, number: int, data: bytes) -> bytes:
        """All of it or nothing: what a full disk took of a line would make the next one unreadable."""
        del number  # one process writes the file
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                _write(file, data)
        except OSError as error:
            raise _unwritable(error) from None
        return data


def _write(file: FileIO, data: bytes) -> None:
    size, rest = os.fstat(file.fileno()).st_size, data
    try:
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except OSError:
        os.ftruncate(file.fileno(), size)
        raise


def _unwritable(error: OSError) -> LogError:
    return LogError(f"The run log cannot be written: {error.strerror}", "Free space in the data directory.")


def read(path: Path) -> tuple[Entry, ...]:
    """The whole log in a file, see `whole`. Raises `LogError`."""
    return whole(whole_lines(path), path.name)


def whole(lines: list[bytes], name: str) -> tuple[Entry, ...]:
    """All entries of a log, its chain verified. Raises `LogError`.

    A chain shows a changed, lost or inserted line; it cannot show that the last lines were cut off.
    """
    entries: list[Entry] = []
    room = MAX_TOTAL
    for entry in verified(lines, name):
        room -= len(entry.payload)
        if room < 0:
            raise LogError(
                f"The values in {name} take more than {MAX_TOTAL >> 20} MiB",
                "A run of Regreen's makes no such log; do not trust where it comes from.",
            )
        entries.append(entry)
    return tuple(entries)


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a file but for a torn last one; none where there is no file. Raises `LogError`."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LogError(f"The run log cannot be read: {error.strerror}", "Check its permissions.") from None
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
