"""Where the logs of all runs are: one directory a run below `runs/`, or a table; see `bot.adapters.store.lines`."""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.adapters.journal import FileJournal, whole_lines
from bot.errors import LogError
from bot.repair.ports import Clock, Journal

LOG_FILE = "log.jsonl"
MAX_NAME = 120

Redact = Callable[[str], str]


class LogStore(Protocol):
    """Every run's log, by the run's identity. Every method raises `LogError`."""

    def journal(self, identity: str, clock: Clock, redact: Redact, exact: Redact) -> Journal:
        """What one execution of a run writes; see `LineJournal`."""
        ...

    def lines(self, identity: str, first: int = 0) -> tuple[bytes, ...]:
        """The whole lines from this number on; none for a run without a log."""
        ...

    def remove(self, identity: str) -> bool:
        """Remove a run's log for good; `False` says that there was none."""
        ...


@dataclass(frozen=True, slots=True)
class FileLogs:
    """`LogStore` over one directory a run below `runs`."""

    runs: Path

    def directory(self, identity: str) -> Path:
        """A readable name, cut to what file systems take, and a digest that keeps it unique."""
        safe = "".join(char if (char.isalnum() and char.isascii()) or char in "-." else "_" for char in identity)
        digest = hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:12]
        return self.runs / f"{safe[:MAX_NAME]}-{digest}"

    def journal(self, identity: str, clock: Clock, redact: Redact, exact: Redact) -> Journal:
        """Over the run's file."""
        return FileJournal(self.directory(identity) / LOG_FILE, clock, redact, exact)

    def lines(self, identity: str, first: int = 0) -> tuple[bytes, ...]:
        """Read the file."""
        return tuple(whole_lines(self.directory(identity) / LOG_FILE)[first:])

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
