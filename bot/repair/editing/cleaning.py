"""What is no part of an answer: thoughts, a template's leftovers, the prompt's example, the entities of a page."""

import re

from bot.repair.editing.thoughts import without_thoughts

_LEFTOVER = re.compile(r"(?:[ \t\n]*(?:<\|[a-z_]{2,30}\|>|</s>|<end_of_turn>))+\s*\Z")
_TAIL = 200
_ESCAPED_MARKER = re.compile(r"^\s*(?:&lt;){5,9} ?(?:SEARCH|ORIGINAL)\b", re.MULTILINE | re.IGNORECASE)
_EXAMPLE = re.compile(
    r"^[ \t]*<{5,9} SEARCH\n[ \t]*the present lines, copied exactly[^\n]*\n[ \t]*={5,9}\n[ \t]*the new lines\n"
    r"[ \t]*>{5,9} REPLACE(?:\n|\Z)",
    re.MULTILINE,
)
"""The prompt's own format, which small models copy before they answer."""
_MARKER = re.compile(r"^\s*<{5,9} ?(?:SEARCH|ORIGINAL)\b", re.MULTILINE | re.IGNORECASE)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&"))

_TYPED = str.maketrans({
    "\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u00a0": " ", "\u2212": "-",
    "\u200b": None, "\u2060": None, "\ufeff": None,
})  # fmt: skip
_INDENT = re.compile("^[ \t\u00a0\ufeff]+", re.MULTILINE)


def clean(text: str) -> str:
    """The answer alone, with line feeds only."""
    lines = without_thoughts(_unquoted(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n"))
    plain = _EXAMPLE.sub("", _without_leftovers("\n".join(lines)))
    plain = _INDENT.sub(lambda found: found[0].replace("\u00a0", " ").replace("\ufeff", ""), plain)
    escaped = _ESCAPED_MARKER.search(plain) and not _MARKER.search(plain)
    return as_typed(plain) if escaped else plain


def as_typed(text: str) -> str:
    """What a page made of code, as it was: its entities, its quotes, its blanks."""
    for entity, letter in _ENTITIES:
        text = text.replace(entity, letter)
    return text.translate(_TYPED)


def _unquoted(text: str) -> str:
    """An answer that is quoted as a whole, as in a mail, without the signs of that."""
    lines = text.split("\n")
    quoted = all(line.startswith(">") for line in lines if line.strip()) and bool(text.strip())
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines) if quoted else text


def is_ended(text: str) -> bool:
    """Whether a template's mark of an end shows that the model itself ended its reply."""
    return bool(_LEFTOVER.search(text[-_TAIL:]))


def _without_leftovers(text: str) -> str:
    """Cut what servers let slip at the very end; no more is looked at, since the expression starts at any blank."""
    tail = max(len(text) - _TAIL, 0)
    return text[:tail] + _LEFTOVER.sub("\n", text[tail:])
