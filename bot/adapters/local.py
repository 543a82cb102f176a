"""A working directory as a source of trees, for `regreen fix PATH`: read without git, never left."""

import hashlib
import os
import stat
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from bot.adapters.git_tree import check_bounds
from bot.adapters.local_ignore import Ignores
from bot.adapters.local_write import apply_patch
from bot.errors import FetchError, TreeError
from bot.repair.types import Patch
from sandbox.spec import File, Tree

EXECUTABLE = 0o111


class LocalTrees:
    """`Sources` and `Trees` over one directory, read once, at the first use. Its `commit` is a hash of the content.

    Left out: what .gitignore files and .git/info/exclude name, .git, environments, caches, node_modules, and whatever
    is neither a regular file nor a symlink. Symlinks stay symlinks.
    """

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        self.path = path.absolute()

    @cached_property
    def snapshot(self) -> Tree:
        """Every file as it was at the first use. Raises `TreeError` above 512 MiB or 200,000 files."""
        if not self.path.is_dir():
            raise TreeError(f"{self.path} is no directory", "Name the directory of a repository.")
        files: dict[str, File] = {}
        size = 0
        for name in self._names():
            file = _read(self.path / name)
            if file is not None:
                files[name] = file
                size += len(file.data)
                check_bounds(len(files), size)
        return MappingProxyType(dict(sorted(files.items())))

    @cached_property
    def commit(self) -> str:
        """SHA-256 over paths, modes and contents: names the snapshot as a commit names a tree."""
        digest = hashlib.sha256()
        for name, file in self.snapshot.items():
            header = f"{len(os.fsencode(name))} {file.mode:o} {len(file.data)}\n"
            digest.update(header.encode() + os.fsencode(name) + file.data)
        return digest.hexdigest()

    def fetch(self, repository: str, commit: str) -> None:
        """Check that the commit is this snapshot. Raises `FetchError`."""
        if commit != self.commit:
            raise FetchError(f"{repository} at {commit} is not what lies in {self.path}", "Start again.")

    def tree(self, repository: str, commit: str) -> Tree:
        """The snapshot. Raises `FetchError` for any other commit, `TreeError`."""
        self.fetch(repository, commit)
        return self.snapshot

    def apply(self, patch: Patch) -> None:
        """Write a patch into the directory, all of it or nothing. Raises `EditError`, see `apply_patch`."""
        apply_patch(self.path, self.snapshot, patch)

    def _names(self) -> list[str]:
        ignores = Ignores(self.path)
        names: list[str] = []
        for directory, directories, files in os.walk(self.path):
            below = Path(directory).relative_to(self.path).as_posix()
            prefix = "" if below == "." else f"{below}/"
            ignores.enter(prefix)
            # A symlink to a directory is an entry of its own.
            links = [name for name in directories if (Path(directory) / name).is_symlink()]
            directories[:] = [
                name for name in directories if name not in links and not ignores.ignored(f"{prefix}{name}/")
            ]
            names += [f"{prefix}{name}" for name in (*files, *links) if not ignores.ignored(f"{prefix}{name}")]
            check_bounds(len(names), 0)
        return names


def _read(path: Path) -> File | None:
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            return File(os.fsencode(path.readlink()), 0o120000)
        if not stat.S_ISREG(found.st_mode):
            return None
        check_bounds(1, found.st_size)
        return File(path.read_bytes(), 0o100755 if found.st_mode & EXECUTABLE else 0o100644)
    except OSError as error:
        raise TreeError(f"{path} cannot be read ({error.strerror})", "Make it readable, or ignore it.") from None
