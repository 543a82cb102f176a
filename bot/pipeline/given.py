"""A unified diff somebody hands us → a `Patch`, on bytes and strictly: every context line must be where it says."""

import io
import re
from collections.abc import Mapping

from unidiff.constants import LINE_TYPE_NO_NEWLINE
from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchedFile, PatchSet

from bot.errors import EditError
from bot.repair.types import FileChange, Patch

BYTES = "latin-1"
"""Maps every byte to one character and back, so that no encoding is guessed."""

_MORE = re.compile(r"^(?:Binary files|(?:old|new) mode|new file mode 100755)", re.MULTILINE)
"""Header lines of what a `FileChange` cannot say."""

REMEDY = "Make the diff again against this tree, for example with `git diff`."


def paths(diff: bytes) -> tuple[str, ...]:
    """The paths that the diff touches. Raises `EditError` for what is no unified diff."""
    return tuple(dict.fromkeys(_path(file) for file in _parsed(diff)))


def read_patch(diff: bytes, files: Mapping[str, bytes]) -> Patch:
    """Apply the diff to `files` (path → content of what it touches and exists). Raises `EditError`."""
    changes = tuple(sorted((_change(file, files) for file in _parsed(diff)), key=lambda change: change.path))
    return Patch(changes)


def _parsed(diff: bytes) -> PatchSet:
    try:
        # newline="\n": a carriage return belongs to the line
        parsed = PatchSet(io.StringIO(diff.decode(BYTES), newline="\n"))
    except UnidiffParseError as error:
        raise EditError(f"The patch is no unified diff: {error}", REMEDY) from None
    if not parsed:
        raise EditError("The patch is empty, or no unified diff", REMEDY)
    if b"\nGIT binary patch" in diff:
        raise EditError("The patch holds a binary change", REMEDY)  # which the parser passes over
    return parsed


def _path(file: PatchedFile) -> str:
    name = file.path
    if name.startswith('"'):
        raise EditError(f"The quoted path {name} is not supported", "Set core.quotePath=false for `git diff`.")
    return name.encode(BYTES).decode("utf-8", "surrogateescape")


def _change(file: PatchedFile, files: Mapping[str, bytes]) -> FileChange:
    path = _path(file)
    if file.is_rename or file.is_symlink or file.is_submodule or _MORE.search(str(file.patch_info or "")):
        raise EditError(f"{path}: renames, links, submodules, modes and binary changes are not taken", REMEDY)
    if not file.is_added_file and path not in files:
        raise EditError(f"{path} is not in the tree", REMEDY)
    if file.is_added_file and path in files:
        raise EditError(f"{path} is to be added but exists", REMEDY)
    old = files.get(path, b"").decode(BYTES)
    new = _apply(path, file, io.StringIO(old, newline="\n").readlines())
    return FileChange(path, None if file.is_removed_file else new.encode(BYTES))


def _apply(path: str, file: PatchedFile, old: list[str]) -> str:
    new: list[str] = []
    at = 0
    for hunk in file:
        # a hunk without source lines names the line that it comes after
        start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        before = _side(hunk, "+")
        if start < at or old[start : start + len(before)] != before:
            raise EditError(f"{path}: the hunk at line {hunk.source_start} does not fit", REMEDY)
        new += old[at:start] + _side(hunk, "-")
        at = start + len(before)
    return "".join(new + old[at:])


def _side(hunk: Hunk, other: str) -> list[str]:
    """One side of a hunk: all lines but those of the `other` sign; a marker takes the newline off the line before."""
    lines: list[str] = []
    mine = False
    for line in hunk:
        if line.line_type == LINE_TYPE_NO_NEWLINE:
            if mine:
                lines[-1] = lines[-1].removesuffix("\n")
            continue
        mine = line.line_type != other
        if mine:
            lines.append(line.value)
    return lines
