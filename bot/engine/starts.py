"""How often a job was begun in a row without getting any further, counted on disk before it begins.

A job that takes its worker down leaves no other trace: what kills a process cannot be caught in it.
"""

import hashlib
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from sandbox.directories import make_private

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FileStarts:
    """`Starts` as one small file in `directory` for each job that began and has not got on; its size is the count."""

    directory: Path

    def begin(self, identity: str) -> int:
        """Count a start and return how many there were in a row, this one included."""
        path = self._path(identity)
        try:
            make_private(self.directory)
            with path.open("ab") as file:
                file.write(b".")
            return path.stat().st_size
        except OSError as error:
            # a disk without room must not keep a job from saying so
            _log.warning("start_not_counted", job=identity, cause=error.strerror)
            return 1

    def got_on(self, identity: str) -> None:
        """Count this job anew: a step was recorded, or the job has ended."""
        with suppress(OSError):
            self._path(identity).unlink(missing_ok=True)

    def clear(self) -> None:
        """Count every job anew: the worker was stopped, not killed."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def _path(self, identity: str) -> Path:
        return self.directory / hashlib.sha256(identity.encode()).hexdigest()
