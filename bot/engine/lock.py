"""The lock that holds a data directory to one worker."""

import fcntl
import os
from pathlib import Path
from typing import IO

from bot.errors import ConfigurationError


def locked(path: Path) -> IO[str]:
    """Take the lock, which lasts until the file is closed. Raises `ConfigurationError` when another process has it."""
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read(20).strip() or "unknown"
        file.close()
        raise ConfigurationError(
            f"Another worker (process {holder}) already works in {path.parent}",
            "SQLite means one worker: stop that one, or give this one a data directory of its own.",
        ) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file
