"""Answers that are kept in a file of another kind: JSON, CSV, YAML, text."""

import ast
from collections.abc import Iterator

from bot.repair.integrity.expectations import Expectations
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.types import FileChange

_LONG = 4
_SAYS = "holds what a failing test hands in, and what it expects of that"


def tables(change: FileChange, before: bytes | None, known: Expectations) -> Iterator[Flag]:
    """A flag for a file that now holds both; it refuses where the whole file is new."""
    new, old = ((data or b"").decode("utf-8", "replace") for data in (change.content, before))
    inputs = any(_is_new(text, new, old) for text in known.texts)
    if inputs and any(_is_new(text, new, old) for text in _texts(known)):
        yield Flag(Kind.LITERAL, change.path, _SAYS, refuses=before is None)


def _is_new(text: str, new: str, old: str) -> bool:
    return len(text) >= _LONG and text in new and text not in old


def _texts(known: Expectations) -> Iterator[str]:
    """Expected texts and numbers as another file would have them."""
    for found in known.expected - known.inputs:
        value: object = ast.literal_eval(found) if found[:1] in "'\"-0123456789" else None
        if isinstance(value, float):
            yield str(int(value)) if value.is_integer() else str(value)
        elif isinstance(value, str):
            yield value
