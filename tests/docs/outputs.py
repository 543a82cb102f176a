"""What the documentation shows as output, beside what came: numbers, times and the width of blanks may differ."""

import re

LEFT_OUT = "…"
_PART = re.compile(r"…|\d[\d.,]*|\s+")


def fits(shown: str, came: str) -> bool:
    """Whether every line came, in this order and no other but empty ones.

    A line `…` stands for any lines, one within a line for any text of it.
    """
    pattern, text = "".join(map(_line, _lines(shown))), "".join(f"{line}\n" for line in _lines(came))
    return re.fullmatch(pattern, text) is not None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


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
