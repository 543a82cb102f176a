"""Run logs as files, read while they grow."""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import LogError

MOST_KNOWN = 64
"""Logs of which it is remembered where their lines begin, so that whoever follows one does not read it anew."""

PIECE = 1 << 20


@dataclass(slots=True)
class _Starts:
    """Where a file's whole lines begin, and where the next one will."""

    inode: int
    lines: list[int] = field(default_factory=list)
    end: int = 0


@dataclass(slots=True)
class FileRunLogs:
    """`RunLogs` over files; `path` says where a run's log lies. May be used by several threads."""

    path: Callable[[str], Path]
    _known: OrderedDict[Path, _Starts] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def lines(self, identity: str, first: int) -> tuple[bytes, ...]:
        """The log's lines from a number on; one that is half written is none yet."""
        path = self.path(identity)
        try:
            with path.open("rb") as file:
                starts, begun, at = self._begin(path, os.fstat(file.fileno()), first)
                file.seek(at)
                data = file.read()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unreadable(error) from None
        found = data[: data.rfind(b"\n") + 1].splitlines(keepends=True)
        with self._lock:
            # others may have noted some of them meanwhile
            for line in found[len(starts.lines) - begun :]:
                starts.lines.append(starts.end)
                starts.end += len(line)
        return tuple(found[first - begun :])

    def size(self, identity: str, first: int) -> int:
        """From where that line begins, as far as that is known, to the end of the file."""
        path = self.path(identity)
        try:
            now = path.stat()
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise _unreadable(error) from None
        return now.st_size - self._begin(path, now, first)[2]

    def pieces(self, identity: str) -> Iterator[bytes]:
        """Whole lines of about so many bytes at a time, as far as the file is written when it is opened."""
        try:
            with self.path(identity).open("rb") as file:
                room = os.fstat(file.fileno()).st_size
                while room > 0 and (found := file.readlines(min(room, PIECE))):
                    room -= sum(map(len, found))
                    yield b"".join(line for line in found if line.endswith(b"\n"))
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unreadable(error) from None

    def _begin(self, path: Path, now: os.stat_result, first: int) -> tuple[_Starts, int, int]:
        """What is known of a file, the line to read from so as to have the one with that number, and where it begins.

        Reading itself is done without the lock: one large log must not hold up all others.
        """
        with self._lock:
            starts = self._starts(path, now)
            begun = min(first, len(starts.lines))
            return starts, begun, starts.lines[first] if first < len(starts.lines) else starts.end

    def _starts(self, path: Path, now: os.stat_result) -> _Starts:
        starts = self._known.get(path)
        if starts is None or starts.inode != now.st_ino or starts.end > now.st_size:
            starts = self._known[path] = _Starts(now.st_ino)
        self._known.move_to_end(path)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return starts


def _unreadable(error: OSError) -> LogError:
    return LogError(f"The run log cannot be read: {error.strerror}", "Check its permissions.")
