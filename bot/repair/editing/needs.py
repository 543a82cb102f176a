"""Which names a piece of code needs from around it: what decides whether a helper or an import comes with it."""

import re
from collections.abc import Iterable

from bot.repair.editing.block_pieces import bound, dedented, pieces_of
from bot.repair.editing.names import free
from bot.repair.editing.pieces import Kind, Lines
from bot.repair.sources.grammar import language_of
from bot.repair.sources.syntax import parse

_WORD = re.compile(r"[^\W\d][\w$]*")
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


def lost_imports(path: str, old: Lines, new: Lines) -> tuple[str, ...]:
    """Names that a file imports and its new lines do not, though they need them, or import nothing at all."""
    before, after = pieces_of(path, old), pieces_of(path, new)
    if before is None or after is None:
        return ()
    names = dict.fromkeys(name for piece in before if piece.kind is Kind.IMPORT for name in piece.binds)
    wanted = needed(language_of(path), [new]) if any(piece.kind is Kind.IMPORT for piece in after) else names
    return tuple(name for name in names if name in wanted and name not in bound(after))
