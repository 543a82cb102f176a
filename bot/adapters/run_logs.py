"""Run logs as files, read while they grow."""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import LogError

MOST_KNOWN = 64
"""Logs of which it is remembered where their lines begin, so that whoever follows one does not read it anew."""


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
            with path.open("rb") as file, self._lock:
                starts = self._starts(path, os.fstat(file.fileno()))
                known = len(starts.lines)
                file.seek(starts.lines[first] if first < known else starts.end)
                data = file.read()
                found = data[: data.rfind(b"\n") + 1].splitlines(keepends=True)
                begun = min(first, known)
                for line in found[known - begun :]:
                    starts.lines.append(starts.end)
                    starts.end += len(line)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise LogError(f"The run log cannot be read: {error.strerror}", "Check its permissions.") from None
        return tuple(found[first - begun :])

    def _starts(self, path: Path, now: os.stat_result) -> _Starts:
        starts = self._known.get(path)
        if starts is None or starts.inode != now.st_ino or starts.end > now.st_size:
            starts = self._known[path] = _Starts(now.st_ino)
        self._known.move_to_end(path)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return starts
