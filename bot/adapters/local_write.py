"""Writes a patch into a working directory: each file atomically, all of them or none, nothing outside."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.adapters.git_tree import check_path
from bot.errors import EditError, TreeError
from bot.repair.types import FileChange, Patch
from sandbox.spec import File, Tree

LOOK = "Look at the patch and apply it by hand."
NEW_FILE = 0o644


def apply_patch(root: Path, snapshot: Tree, patch: Patch) -> None:
    """Write every change, keeping modes. A failure on the way puts back what was written.

    Raises `EditError`, before anything is written, for a path that leaves the tree or leads through a symlink, and
    for a file that is not as the snapshot has it; and when the disk refuses.
    """
    for change in patch.changes:
        _check(root, snapshot, change)
    staged: dict[Path, Path | None] = {}
    try:
        for change in patch.changes:
            staged[root / change.path] = _stage(root / change.path, change)
        put(root, snapshot, staged)
    except OSError as error:
        raise EditError(
            f"The patch cannot be written ({error.strerror})", "Check the directory's disk and modes."
        ) from None
    finally:
        for temporary in staged.values():
            if temporary is not None:
                temporary.unlink(missing_ok=True)


def _check(root: Path, snapshot: Tree, change: FileChange) -> None:
    try:
        check_path(change.path)
    except TreeError:
        raise EditError(f"The patch would write {change.path!r}, outside of the tree", LOOK) from None
    target = root
    for part in Path(change.path).parts[:-1]:
        target /= part
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise EditError(f"{change.path} leads through {target.name}, which is no plain directory", LOOK)
    if not _unchanged(root / change.path, snapshot.get(change.path)):
        raise EditError(f"{change.path} changed since it was read", "Run again on the directory as it is now.")


def _unchanged(path: Path, known: File | None) -> bool:
    if not os.path.lexists(path):
        return known is None
    if known is None or not stat.S_ISREG(path.lstat().st_mode):
        return False
    return path.read_bytes() == known.data


def _stage(target: Path, change: FileChange) -> Path | None:
    if change.content is None:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(change.content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(stat.S_IMODE(target.lstat().st_mode) if target.exists() else NEW_FILE)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def put(root: Path, snapshot: Tree, staged: Mapping[Path, Path | None]) -> None:
    """Move staged files into place, `None` deletes; on an `OSError`, which is raised again, nothing is changed."""
    done: list[Path] = []
    try:
        for target, temporary in staged.items():
            if temporary is None:
                target.unlink(missing_ok=True)
            else:
                temporary.replace(target)
            done.append(target)
    except OSError:
        for target in done:
            _put_back(target, snapshot.get(target.relative_to(root).as_posix()))
        raise


def _put_back(target: Path, known: File | None) -> None:
    with contextlib.suppress(OSError):
        if known is None:
            target.unlink(missing_ok=True)
        else:
            target.write_bytes(known.data)
            target.chmod(known.mode & 0o777)
