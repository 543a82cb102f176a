"""Where the logs of all runs are: one directory a run below `runs/`, or a table; see `bot.adapters.store.lines`."""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol

from bot.adapters.journal import FileJournal, LineJournal
from bot.adapters.run_logs import FileRunLogs
from bot.errors import LogError
from bot.pipeline.ports.reading import RunLogs
from bot.repair.ports import Clock

LOG_FILE = "log.jsonl"
MAX_NAME = 120

Redact = Callable[[str], str]


class LogStore(RunLogs, Protocol):
    """Every run's log, by the run's identity. Every method raises `LogError`."""

    def journal(self, identity: str, clock: Clock, redact: Redact, exact: Redact) -> LineJournal:
        """What one execution of a run writes; see `LineJournal`."""
        ...

    def remove(self, identity: str) -> bool:
        """Remove a run's log for good; `False` says that there was none."""
        ...

    def prune(self, before: float, most: int, rows: Callable[[], Iterable[str]]) -> int:
        """Remove so many logs of runs that no row tells of, see `OldLogs`."""
        ...


class FileLogs:
    """`LogStore` over one directory a run below `runs`."""

    def __init__(self, runs: Path) -> None:
        """Keep the place; nothing is made before the first event."""
        self._runs = runs
        self._reading = FileRunLogs(lambda identity: self.directory(identity) / LOG_FILE)

    def directory(self, identity: str) -> Path:
        """A readable name, cut to what file systems take, and a digest that keeps it unique."""
        safe = "".join(char if (char.isalnum() and char.isascii()) or char in "-." else "_" for char in identity)
        digest = hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:12]
        return self._runs / f"{safe[:MAX_NAME]}-{digest}"

    def journal(self, identity: str, clock: Clock, redact: Redact, exact: Redact) -> LineJournal:
        """Over the run's file."""
        return FileJournal(self.directory(identity) / LOG_FILE, clock, redact, exact)

    def lines(self, identity: str, first: int) -> tuple[bytes, ...]:
        """Read the file."""
        return self._reading.lines(identity, first)

    def size(self, identity: str, first: int) -> int:
        """Ask the file system."""
        return self._reading.size(identity, first)

    def pieces(self, identity: str) -> Iterator[bytes]:
        """Read the file, piece by piece."""
        return self._reading.pieces(identity)

    def remove(self, identity: str) -> bool:
        """Remove the directory."""
        directory = self.directory(identity)
        if not directory.is_dir():
            return False
        try:
            shutil.rmtree(directory)
        except OSError as error:
            raise LogError(f"A run log cannot be removed: {error.strerror}", "Check its permissions.") from None
        return True

    def prune(self, before: float, most: int, rows: Callable[[], Iterable[str]]) -> int:
        """Remove directories whose logs were written last before then: those of `regreen fix`, and of no run any more.

        Raises `LogError`, and what `rows` raises.
        """
        try:
            old = [log.parent for log in self._runs.glob(f"*/{LOG_FILE}") if log.stat().st_mtime < before]
            kept = {self.directory(identity) for identity in rows()} if old else set()
            found = list(islice((directory for directory in old if directory not in kept), most))
            for directory in found:
                shutil.rmtree(directory)
        except OSError as error:
            raise LogError(f"A run log cannot be removed: {error.strerror}", "Check its permissions.") from None
        return len(found)
