"""A pull request's own text after another commit on its branch: the matrix in place, a line for each follow-up.

Pure. The text may have been edited by people: only what Regreen wrote and still stands there is replaced.
"""

from bot.pipeline.reports.cut import fitted
from bot.pipeline.texts import Heading

MATRIX = frozenset(Heading.MATRIX.by_language.values())
FOLLOW_UPS = "### Follow-ups"
AS_OF = "As of "
"""What the line above the matrix begins with, once it is not about the first commit any more."""


def revised(body: str, matrix: str, line: str, sha: str) -> str:
    """The text with this matrix, and `line` about the commit `sha` at its end; the same again changes nothing."""
    if sha in body:
        return body
    lines = _with_matrix(body.rstrip("\n").split("\n"), matrix)
    if FOLLOW_UPS not in lines:
        lines += ["", FOLLOW_UPS, ""]
    return fitted("\n".join([*lines, line, ""]))


def _with_matrix(lines: list[str], matrix: str) -> list[str]:
    new = matrix.rstrip("\n").split("\n")
    at = next((number for number, line in enumerate(lines) if line in MATRIX), None)
    if at is None:
        return [*lines, "", Heading.MATRIX.by_language["en"], "", *new]
    start = end = _past_blank(lines, at + 1)
    if start < len(lines) and lines[start].startswith(AS_OF):
        end = _past_blank(lines, start + 1)
    rows = end
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    if end == rows:
        # People wrote something else there.
        return [*lines, "", *new]
    end = _past_blank(lines, end)
    # The sentence on how often the tests ran belongs to the matrix.
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(("#", "<", "|", "Fixed")):
        end += 1
    return [*lines[:start], *new, *lines[end:]]


def _past_blank(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at
