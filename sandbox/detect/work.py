"""How much one detection may do: manifests are strangers' text, and a few bytes may ask for any amount of work.

Whatever reads, parses, replaces or repeats says so here, in units of about one character that a parser sees. A tree is
worked on within `bounded`; elsewhere nothing is counted or remembered.
"""

import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sandbox.errors import DetectionError
from sandbox.spec import Tree

T = TypeVar("T")

MAX_WORK = 4_000_000
MAX_TEXT = 4096
"""Characters that a text may have after its variables were replaced."""
_READABLE = (DetectionError, ValueError, SyntaxError)


class OverworkError(Exception):
    """One detection's work is used up; no reader takes it for a file that cannot be read."""


@dataclass(slots=True)
class Work:
    """What is left of one tree's work, and what was found out so far."""

    tree: Tree
    left: int = MAX_WORK
    known: dict[Hashable, tuple[Any, Exception | None]] = field(default_factory=dict)


_CURRENT: ContextVar[Work | None] = ContextVar("work", default=None)


@contextmanager
def bounded(tree: Tree) -> Iterator[Work]:
    """Count what is done for this tree. Inside, everything may raise `OverworkError`."""
    work = Work(tree)
    token = _CURRENT.set(work)
    try:
        yield work
    finally:
        _CURRENT.reset(token)


def spend(amount: int) -> None:
    """Count work before it is done. Raises `OverworkError` where none is left."""
    work = _CURRENT.get()
    if work is not None:
        work.left -= amount
        if work.left < 0:
            raise OverworkError


def once(tree: Tree, key: Hashable, make: Callable[[], T]) -> T:
    """What `make` gives for this tree, or raises: made for the first who asks, remembered for all others."""
    work = _CURRENT.get()
    if work is None or work.tree is not tree:
        return make()
    if key not in work.known:
        try:
            work.known[key] = make(), None
        except _READABLE as error:
            work.known[key] = None, error
    value, failure = work.known[key]
    if failure is not None:
        raise failure.with_traceback(None)
    found: T = value
    return found


def replaced(
    pattern: re.Pattern[str], value: Callable[[re.Match[str]], str], text: str, limit: int = MAX_TEXT
) -> str | None:
    """A text with each match replaced; `None` for more than `limit` characters, of which no more are ever made."""
    parts: list[str] = []
    length = at = 0
    for match in pattern.finditer(text):
        parts += [text[at : match.start()], value(match)]
        at = match.end()
        length += len(parts[-1]) + len(parts[-2])
        if length > limit:
            return None
    parts.append(text[at:])
    length += len(parts[-1])
    spend(length + len(parts))
    return "".join(parts) if length <= limit else None
