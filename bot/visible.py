"""Text as a reader of GitHub's page sees it. Pure; what a person cannot see must not tell a model anything."""

import re
import unicodedata

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE = re.compile(r"\r\n?")
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0000-\U000e0fff]"
)
"""What fonts draw as nothing although Unicode calls it a letter, a mark or a symbol.

Source: https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt, Default_Ignorable_Code_Point
"""


def without_hidden(text: str) -> str:
    """No HTML comments, and no invisible, bidirectional or control characters; other blanks become spaces."""
    return without_invisible(_COMMENT.sub("", _LINE.sub("\n", text)))


def without_invisible(text: str) -> str:
    """The same, HTML comments kept."""
    seen = _BLANK.sub("", text)
    return "".join(map(_shown, seen)) if not seen.isascii() or not seen.isprintable() else seen


def _shown(letter: str) -> str:
    if letter.isprintable() or letter in "\n\t":
        return letter
    return " " if unicodedata.category(letter) == "Zs" else ""
