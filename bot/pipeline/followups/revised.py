"""A pull request's own text after another commit on its branch: the matrix in place, a line for each follow-up.

Pure. The text may have been edited by people: only what Regreen wrote and still stands there is replaced.
"""

from bot.pipeline.reports.cut import fitted
from bot.pipeline.texts import Answered, Heading
from bot.policy import Language

MATRIX = frozenset(Heading.MATRIX.by_language.values())
FOLLOW_UPS = frozenset(Heading.FOLLOW_UPS.by_language.values())
AS_OF = tuple(said.partition("{")[0] for said in Answered.AS_OF.by_language.values())
"""What the line above the matrix begins with, once it is not about the first commit any more."""
_BEHIND = ("#", "<", "|", *Heading.FIXED.by_language.values())
"""What begins behind the matrix and what is said of it."""


def revised(body: str, matrix: str, line: str, sha: str, language: Language = "en") -> str:
    """The text with this matrix, and `line` about the commit `sha` at its end; the same again changes nothing."""
    if sha in body:
        return body
    lines = _with_matrix(body.rstrip("\n").split("\n"), matrix, language)
    if FOLLOW_UPS.isdisjoint(lines):
        lines += ["", Heading.FOLLOW_UPS.say(language), ""]
    return fitted("\n".join([*lines, line, ""]), language=language)


def _with_matrix(lines: list[str], matrix: str, language: Language) -> list[str]:
    new = matrix.rstrip("\n").split("\n")
    at = next((number for number, line in enumerate(lines) if line in MATRIX), None)
    if at is None:
        return [*lines, "", Heading.MATRIX.say(language), "", *new]
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
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(_BEHIND):
        end += 1
    return [*lines[:start], *new, *lines[end:]]


def _past_blank(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at
