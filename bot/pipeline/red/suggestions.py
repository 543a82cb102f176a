"""A patch as suggestions that GitHub commits at a click. Pure; whoever commits one is its author."""

import difflib
from collections.abc import Iterable

from bot.pipeline.checks_port import Suggestion
from bot.repair.types import FileChange, Patch, SourceFile

MOST = 20
MOST_BYTES = 400_000


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
    found = []
    for tag, first, last, start, end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(_suggestion(change.path, (before, first, last), after[start:end]))
    return found


def _suggestion(path: str, replaced: tuple[list[str], int, int], lines: list[str]) -> Suggestion:
    before, first, last = replaced
    # What is only added has no line of its own to stand on: it takes the one before, or else the one behind.
    if first == last and first:
        first, lines = first - 1, [before[first - 1], *lines]
    elif first == last:
        last, lines = 1, [*lines, before[0]]
    return Suggestion(path, first + 1, last, tuple(lines))


def _plain(data: bytes) -> bool:
    return data.endswith(b"\n") and b"\r" not in data and b"\0" not in data and len(data) <= MOST_BYTES
