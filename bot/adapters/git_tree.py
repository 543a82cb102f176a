"""A commit's whole tree out of a bare repository: `ls-tree` for names, modes and sizes, `cat-file` for the bytes.

Not `git archive`: it obeys the tree's own export attributes.
"""

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, cast

from bot.adapters.git_process import GitProcess
from bot.errors import FetchError, TreeError
from sandbox.spec import MIB, File, Tree

if TYPE_CHECKING:
    import subprocess

MOST_BYTES = 512 * MIB
MOST_FILES = 200_000
MOST_LISTING = 128 * MIB
FORBIDDEN_PARTS = frozenset({"", ".", "..", ".git"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One blob of a tree."""

    path: str
    mode: int
    blob: str
    size: int


def read_tree(git: GitProcess, commit: str) -> Tree:
    """Every blob of the commit; submodules are left out. Raises `FetchError`, `TreeError`."""
    entries = _bounded(_parse(_list(git, commit)))
    with tempfile.TemporaryFile() as wanted:
        wanted.writelines(f"{entry.blob}\n".encode() for entry in entries)
        wanted.seek(0)
        with git.started(("cat-file", "--batch"), cast("BinaryIO", wanted)) as process:
            files = {entry.path: File(_blob(process, entry), entry.mode) for entry in entries}
    return MappingProxyType(files)


def check_path(path: str) -> None:
    """Raise `TreeError` for a path that could leave the tree or reach into git's own directory."""
    if "\0" in path or any(part.lower() in FORBIDDEN_PARTS for part in path.split("/")):
        raise TreeError(f"The tree holds the path {path!r}", "Such a path is never checked out; remove it.")


def check_bounds(files: int, size: int) -> None:
    """Raise `TreeError` above the bounds."""
    if files > MOST_FILES or size > MOST_BYTES:
        raise TreeError(
            f"The tree is too large: more than {MOST_FILES} files or {MOST_BYTES // MIB} MiB",
            "Repositories of this size are not supported.",
        )


def _list(git: GitProcess, commit: str) -> bytes:
    with git.started(("ls-tree", "-r", "-z", "-l", "--full-tree", commit)) as process:
        assert process.stdout  # noqa: S101 - for the type checker: a pipe was asked for
        listing = process.stdout.read(MOST_LISTING + 1)
        if len(listing) > MOST_LISTING:
            check_bounds(MOST_FILES + 1, 0)
        _, said = process.communicate()
        complaint = git.complaint(process, said)
    if complaint:
        raise FetchError(f"The tree of {commit} cannot be read: {complaint}", "Fetch the commit again.")
    return listing


def _parse(listing: bytes) -> Iterable[Entry]:
    for line in listing.split(b"\0")[:-1]:
        facts, _, name = line.partition(b"\t")
        mode, kind, blob, size = facts.decode("ascii").split()
        if kind == "blob":
            # Old repositories hold group-writable modes; git itself reads them as plain files.
            kept = int(mode, 8) if mode in {"100755", "120000"} else 0o100644
            yield Entry(os.fsdecode(name), kept, blob, int(size))


def _bounded(entries: Iterable[Entry]) -> list[Entry]:
    kept: list[Entry] = []
    size = 0
    for entry in entries:
        check_path(entry.path)
        kept.append(entry)
        size += entry.size
        check_bounds(len(kept), size)
    return kept


def _blob(process: "subprocess.Popen[bytes]", entry: Entry) -> bytes:
    assert process.stdout  # noqa: S101 - for the type checker: a pipe was asked for
    header = process.stdout.readline().split()
    if header != [entry.blob.encode(), b"blob", str(entry.size).encode()]:
        raise FetchError(f"{entry.path} cannot be read from the mirror", "Fetch the commit again.")
    data = process.stdout.read(entry.size)
    if len(data) != entry.size or process.stdout.read(1) != b"\n":
        raise FetchError(f"{entry.path} cannot be read from the mirror", "Fetch the commit again.")
    return data
