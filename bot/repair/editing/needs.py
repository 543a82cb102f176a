"""Which names a piece of code needs from around it: what decides whether a helper or an import comes with it."""

import re
from collections.abc import Iterable

from bot.repair.editing.block_pieces import dedented
from bot.repair.editing.names import free
from bot.repair.editing.pieces import Lines
from bot.repair.sources.syntax import parse

_WORD = re.compile(r"[^\W\d][\w$]*")
_MEMBER = re.compile(r"\.\s*([^\W\d]\w*)")
_COMMENT = re.compile(r"(?:^|\s)(?://|#).*$")


def needed(language: str, texts: Iterable[Lines]) -> set[str]:
    """Names that these lines take from their module: Python's free names, elsewhere every word outside of comments."""
    found: set[str] = set()
    for lines in texts:
        text = "\n".join(dedented(lines))
        if language == "python" and parse(text) is not None:
            found |= free(text)
        else:
            found.update(word for line in lines for word in _WORD.findall(_COMMENT.sub("", line)))
    return found


def members(texts: Iterable[Lines]) -> set[str]:
    """Names that these lines look up in an object, as in `self.total`."""
    return {name for lines in texts for line in lines for name in _MEMBER.findall(line)}
