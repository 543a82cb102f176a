"""Diffs and the matrix of tests by attempts, as templates draw them. Pure."""

from collections.abc import Iterator, Sequence

from bot.pipeline.reading import MatrixView
from bot.pipeline.reading.matrix import MEANINGS, PASSING, UNKNOWN

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
EN_DASH = "\N{EN DASH}"
PAIR = 2


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
    used = {letter for row in grid.rows for letter in row.cells} | {
        letter for cells, _ in grid.folded for letter in cells
    }
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


def unchanged(grid: MatrixView) -> Iterator[tuple[int, str]]:
    """The tests that are folded: how many, and which attempts say so of them, since not all of them ran every test."""
    for cells, number in grid.folded:
        base, made = cells[0], cells[1:]
        ran = [column for column, letter in zip(grid.columns, made, strict=True) if letter != UNKNOWN]
        lacking = [column for column, letter in zip(grid.columns, made, strict=True) if letter == UNKNOWN]
        does = {PASSING: ("passes", "pass"), UNKNOWN: ("has no result", "have no result")}.get(
            base, ("is skipped", "are skipped")
        )
        said = f"{does[number > 1]} on the base"
        if ran:
            said += f" and with {_attempts(ran)}"
        if lacking:
            said += f"{',' if ran else ''} and {'has' if number == 1 else 'have'} no result with {_attempts(lacking)}"
        yield number, said


def _attempts(numbers: Sequence[int]) -> str:
    """Which they are, three or more in a row by the first and the last of them."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] + 1 == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = [
        str(run[0]) if len(run) == 1 else f"{run[0]}{', ' if len(run) == PAIR else EN_DASH}{run[-1]}" for run in runs
    ]
    return f"attempt{'s' if len(numbers) > 1 else ''} {', '.join(said)}"
