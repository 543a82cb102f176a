"""The run log: one JSON line an event, each carrying the hash of the line before it, secrets redacted on the way in.

Appending is not a recorded step. A replay appends every event again from the first; a line that is there already, with
the same number and the same event, is left as it is. So a crash at any point neither loses nor doubles a line.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from bot.errors import LogError
from bot.repair.ports import Clock, Json

MAX_TEXT = 20_000
MAX_ITEMS = 500
MAX_DEPTH = 8
FIRST = "0" * 64


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: its number counts from 0, `at` is seconds since the epoch."""

    number: int
    at: float
    event: str
    fields: Json


@dataclass(slots=True)
class FileJournal:
    """`Journal` over one file; made anew for each execution of a job, used by one thread."""

    path: Path
    clock: Clock
    redact: Callable[[str], str]
    _number: int = 0
    _events: list[str] | None = None
    _head: str = field(default=FIRST)

    def append(self, event: str, fields: Json) -> None:
        """Write the event, on disk when this returns, unless an earlier execution did. Raises `LogError`."""
        if self._events is None:
            self._open()
        known = self._events or []
        if self._number < len(known):
            if known[self._number] != event:
                raise LogError(
                    f"Line {self._number} of the run log says {known[self._number]!r}, not {event!r}",
                    "The job's code changed while it was under way: put the label on again.",
                )
        else:
            self._write(event, fields)
        self._number += 1

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(error) from None
        whole = _whole_lines(self.path)
        entries = tuple(_verified(self.path, whole))
        self._events = [entry.event for entry in entries]
        self._head = _digest(whole[-1]) if whole else FIRST
        if self.path.exists():
            # A line that a crash tore was never acknowledged.
            os.truncate(self.path, sum(map(len, whole)))

    def _write(self, event: str, fields: Json) -> None:
        line = {
            "number": self._number,
            "prev": self._head,
            "at": self.clock.now(),
            "event": event,
            "fields": self._bounded(to_jsonable_python(dict(fields), bytes_mode="base64", serialize_unknown=True)),
        }
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        try:
            _append(self.path, data)
        except OSError as error:
            raise _unwritable(error) from None
        self._head = _digest(data)

    def _bounded(self, value: Any, depth: int = 0) -> Any:
        """Redacted first, then cut: half a secret would not be recognised."""
        if isinstance(value, str):
            text = self.redact(value)
            return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… ({len(text) - MAX_TEXT} characters cut)"
        if depth >= MAX_DEPTH and isinstance(value, dict | list):
            return "…"
        if isinstance(value, dict):
            items = list(value.items())[:MAX_ITEMS]
            return {self.redact(str(key))[:200]: self._bounded(item, depth + 1) for key, item in items}
        if isinstance(value, list):
            kept = [self._bounded(item, depth + 1) for item in value[:MAX_ITEMS]]
            return kept if len(value) <= MAX_ITEMS else [*kept, f"… ({len(value) - MAX_ITEMS} items cut)"]
        return value


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
    return tuple(_verified(path, _whole_lines(path)))


def _whole_lines(path: Path) -> list[bytes]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LogError(f"The run log cannot be read: {error.strerror}", "Check its permissions.") from None
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


def _verified(path: Path, lines: list[bytes]) -> Iterator[Entry]:
    head = FIRST
    for number, data in enumerate(lines):
        try:
            line = json.loads(data)
            entry = Entry(line["number"], float(line["at"]), line["event"], line["fields"])
            sound = entry.number == number and line["prev"] == head
        except (ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            raise LogError(
                f"Line {number + 1} of {path.name} does not verify", "The log was changed after it was made."
            )
        head = _digest(data)
        yield entry


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
