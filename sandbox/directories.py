"""Directories that no other user reads: source, logs and keys lie in them."""

import errno
import os
from pathlib import Path


def make_private(path: Path) -> None:
    """Make a directory, mode 0700, and so each missing one above it; one that is there keeps its mode.

    `Path.mkdir(parents=True)` gives its mode to the last directory alone. Raises `OSError`.
    """
    missing = [place for place in (path, *path.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
