"""What the documentation shows as output, beside what came: numbers, times and the width of blanks may differ."""

import re

LEFT_OUT = "…"
_PART = re.compile(r"…|\d[\d.,]*|\s+")


def fits(shown: str, came: str) -> bool:
    """Whether every line came, in this order and no other.

    A line `…` stands for any lines, one within a line for any text of it.
    """
    lines = [_line(line.strip()) for line in shown.strip().splitlines()]
    return re.fullmatch("".join(lines), "".join(f"{line.strip()}\n" for line in came.strip().splitlines())) is not None


def _line(shown: str) -> str:
    if shown == LEFT_OUT:
        return r"(?:.*\n)*?"
    return _replaced(shown) + r"\n"


def _replaced(shown: str) -> str:
    """A pattern: each number any number, blanks any blanks or none, an ellipsis any text."""
    found, at = [], 0
    for part in _PART.finditer(shown):
        found.append(re.escape(shown[at : part.start()]))
        text = part.group()
        found.append(".*" if text == LEFT_OUT else r"\d[\d.,]*" if text[0].isdigit() else r"[^\S\n]*")
        at = part.end()
    return "".join([*found, re.escape(shown[at:])])
