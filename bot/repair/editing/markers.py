"""The lines that open, part and close an edit or a fenced block."""

import re
from collections.abc import Iterable, Iterator

SEARCH = re.compile(r"^\s*<{5,9} ?(?:SEARCH|ORIGINAL)>?\s*$", re.IGNORECASE)
DIVIDER = re.compile(r"^\s*={5,9}\s*$")
REPLACE = re.compile(r"^\s*>{5,9} ?(?:REPLACE|UPDATED)\s*$", re.IGNORECASE)
FENCE = re.compile(r"^\s*(`{3,}|~{3,})([^`]*)$")


def closes(line: str, fence: str) -> bool:
    """Whether a line closes the fence that so many marks have opened."""
    bare = line.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])


def enclosing(line: str, inside: str) -> str:
    """What encloses the line below this one: an edit (`<`), a fence (its marks), or nothing."""
    if inside == "<":
        return "" if REPLACE.match(line) else inside
    if inside:
        return "" if closes(line, inside) else inside
    fence = FENCE.match(line)
    return "<" if SEARCH.match(line) else fence[1] if fence else ""


def outside(lines: Iterable[str]) -> Iterator[str]:
    """The lines that stand in no edit and no fenced block."""
    inside = ""
    for line in lines:
        was, inside = inside, enclosing(line, inside)
        if not was and not inside:
            yield line
