"""Diffs and the matrix of tests by attempts, as templates draw them. Pure."""

from collections.abc import Iterator

from bot.pipeline.reading import MatrixView
from bot.pipeline.reading.matrix import MEANINGS, UNKNOWN

MARKS = {
    "p": "\N{MIDDLE DOT}",
    "f": "\N{BALLOT X}",
    "x": "\N{HEAVY CHECK MARK}",
    "r": "\N{HEAVY BALLOT X}",
    "k": "~",
    "s": "-",
    "n": "+",
    "b": "!",
    "m": "\N{EMPTY SET}",
    UNKNOWN: "",
}
"""A sign for each letter, so that nobody needs the colours."""


def diff_lines(diff: str) -> Iterator[tuple[str, str]]:
    """A unified diff's lines, each with its kind: head, hunk, added, removed or same."""
    in_hunk = False
    for line in diff.removesuffix("\n").split("\n"):
        in_hunk = line.startswith("@@ ") or (in_hunk and not line.startswith("diff --git "))
        if line.startswith("@@ "):
            yield "hunk", line
        elif not in_hunk:
            yield "head", line
        else:
            yield {"+": "added", "-": "removed"}.get(line[:1], "same"), line


def letters(grid: MatrixView) -> tuple[str, ...]:
    """The letters that occur, in the order of their meanings."""
    used = {letter for row in grid.rows for letter in row.cells} | {letter for letter, _ in grid.folded}
    return tuple(letter for letter in MEANINGS if letter in used)


def cell(letter: str) -> str:
    """The class of its colour, without what begins all of them."""
    return "u" if letter == UNKNOWN else letter


def mark(letter: str) -> str:
    """Its sign."""
    return MARKS.get(letter, "")


def meaning(letter: str) -> str:
    """What it says."""
    return MEANINGS.get(letter, "")
