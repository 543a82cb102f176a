"""A patch as suggestions that GitHub commits at a click. Pure; whoever commits one is its author."""

import difflib
from collections.abc import Iterable

from bot.pipeline.ports.checks import Suggestion
from bot.repair.types import FileChange, Patch, SourceFile

MOST = 20
MOST_BYTES = 400_000
_Run = tuple[int, int, int, int]
"""First line and end in the old file, first line and end in the new one, from 0."""


def suggestions(files: Iterable[SourceFile], patch: Patch) -> tuple[Suggestion, ...]:
    """The patch over these files, one suggestion for each run of changed lines; none where any part is not sayable so.

    GitHub replaces whole lines of text that are there: it makes and deletes no files, and knows no other line ends.
    """
    before = {file.path: file.data for file in files}
    found: list[Suggestion] = []
    for change in patch.changes:
        of_file = _of_file(change, before.get(change.path))
        if not of_file:
            return ()
        found += of_file
    return tuple(found) if len(found) <= MOST else ()


def _of_file(change: FileChange, old: bytes | None) -> list[Suggestion]:
    new = change.content
    if not old or not new or not (_plain(old) and _plain(new)):
        return []
    try:
        before, after = old.decode().split("\n")[:-1], new.decode().split("\n")[:-1]
    except UnicodeDecodeError:
        return []
    return [
        Suggestion(change.path, first + 1, last, tuple(after[start:end]))
        for first, last, start, end in _runs(before, after)
    ]


def _runs(before: list[str], after: list[str]) -> list[_Run]:
    found: list[_Run] = []
    for tag, *place in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        first, last, start, end = place
        # What is only added has no line of its own to stand on: it takes the one before, or else the one behind.
        if first == last and first:
            first, start = first - 1, start - 1
        elif first == last:
            last, end = last + 1, end + 1
        if found and first < found[-1][1]:
            first, _, start, _ = found.pop()
        found.append((first, last, start, end))
    return found


def _plain(data: bytes) -> bool:
    return data.endswith(b"\n") and b"\r" not in data and b"\0" not in data and len(data) <= MOST_BYTES
