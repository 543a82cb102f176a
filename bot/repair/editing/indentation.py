"""Indentation as structure: what a model wrote in its own units, put into a file's."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

DEFAULT_UNIT = 4


def indent_of(line: str) -> str:
    """The leading blanks and tabs of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def base_of(lines: Iterable[str]) -> str:
    """The smallest indentation of the lines that are not blank."""
    return min((indent_of(line) for line in lines if line.strip()), key=len, default="")


def unit_of(lines: Sequence[str]) -> str:
    """One level of indentation in these lines: a tab when most indented lines use tabs, else so many blanks."""
    indents = [indent_of(line) for line in lines if line.strip()]
    tabs = sum(indent.startswith("\t") for indent in indents)
    if tabs and tabs * 2 >= sum(bool(indent) for indent in indents):
        return "\t"
    widths = [len(indent.expandtabs(DEFAULT_UNIT)) for indent in indents]
    steps = Counter(second - first for first, second in pairwise(widths) if second > first)
    steps = steps or Counter(second - first for first, second in pairwise(sorted(set(widths))))
    return " " * (steps.most_common(1)[0][0] if steps else DEFAULT_UNIT)


def shape(lines: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """What remains of lines when the unit and the depth of their indentation are forgotten: rank and text."""
    widths = [len(indent_of(line).expandtabs(DEFAULT_UNIT)) if line.strip() else -1 for line in lines]
    ranks = {width: rank for rank, width in enumerate(sorted(set(widths) - {-1}))}
    return tuple((ranks.get(width, -1), line.strip()) for width, line in zip(widths, lines, strict=True))


@dataclass(frozen=True, slots=True)
class Translation:
    """From one indentation to another: `base` is where the block stands, `unit` one level below it."""

    from_base: str
    from_unit: str
    to_base: str
    to_unit: str

    def apply(self, line: str) -> str:
        """The line at its new place; blank lines become empty."""
        if not line.strip():
            return ""
        unit = len(self.from_unit.expandtabs(DEFAULT_UNIT))
        width = len(indent_of(line).expandtabs(DEFAULT_UNIT)) - len(self.from_base.expandtabs(DEFAULT_UNIT))
        text = line.lstrip(" \t")
        if width >= 0:
            levels, rest = divmod(width, unit)
            return self.to_base + self.to_unit * levels + " " * rest + text
        keep = len(self.to_base) - math.ceil(-width / unit) * len(self.to_unit)
        return self.to_base[: max(keep, 0)] + text
