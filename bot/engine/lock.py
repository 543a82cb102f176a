"""The lock that holds a data directory to one worker."""

import fcntl
import os
from pathlib import Path
from typing import IO

from bot.errors import ConfigurationError


def holder(path: Path) -> int | None:
    """The process that has the lock, 0 where it is not known which; `None` where nobody has it."""
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return None
    except OSError:
        said = path.read_text(errors="replace")[:20].strip()
        return int(said) if said.isascii() and said.isdigit() else 0
    return None


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
