"""Where a line of a file stands in a patch, and where it went in a later one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
LEFT, RIGHT = "LEFT", "RIGHT"


@dataclass(frozen=True, slots=True)
class PatchLine:
    """A line of a patch: `position` counts from 1 below the first header, as GitHub's does; `hunk` is its header's."""

    position: int
    hunk: int
    text: str
    left: int | None
    right: int | None

    def at(self, side: str) -> int | None:
        """Its number in the file before (LEFT) or after."""
        return self.left if side == LEFT else self.right


def lines(patch: str) -> Iterator[PatchLine]:
    """The lines of a patch without its headers."""
    hunk = left = right = 0
    for position, text in enumerate(patch.split("\n")):
        if found := _HEADER.match(text):
            hunk, left, right = position, int(found[1]), int(found[3])
            continue
        old, new = text[:1] in {" ", "-", ""}, text[:1] in {" ", "+", ""}
        if text.startswith("\\"):
            continue
        yield PatchLine(position, hunk, text, left if old else None, right if new else None)
        left, right = left + old, right + new


def find(patch: str, line: int, side: str) -> PatchLine | None:
    """The patch's line that shows this line of the file, `None` where the patch does not reach it."""
    return next((one for one in lines(patch) if one.at(side) == line), None)


def excerpt(patch: str, one: PatchLine) -> str:
    """The hunk from its header to the line, as a review comment quotes it."""
    return "\n".join(patch.split("\n")[one.hunk : one.position + 1])


def moved(patch: str, line: int) -> int | None:
    """Where a line of the old file is in the new one; `None` where it was changed. The patch has no context lines."""
    shift = 0
    for found in _HEADER.finditer(patch):
        start, count = int(found[1]), int(found[2] or 1)
        if start <= line < start + count:
            return None
        if line < start or (count == 0 and line <= start):
            break
        shift += int(found[4] or 1) - count
    return line + shift
