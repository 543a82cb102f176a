"""Answers that are kept in a file of another kind: JSON, CSV, YAML, text."""

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from bot.repair.integrity.expectations import Expectations
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.sources.languages import SOURCES
from bot.repair.types import FileChange, SourceFile

_LONG, _SEVERAL = 4, 3
_WORDS = re.compile(r"[\w./-]*")
_ESCAPES = str.maketrans("", "", "\\\"'")
_OWN = frozenset({
    "templates", "static", "views", "public", "assets", "locale", "locales", "migrations", "data", "resources",
    "schemas",
})  # fmt: skip
_READ = "is data that a failing test reads: tests, their data and CI stay as they are"
_LISTS = "lists what failing tests hand in"
_SAYS = "holds what a failing test hands in, and what it expects of that"


def read_by_tests(path: str, known: Collection[str], tests: Sequence[SourceFile]) -> str | None:
    """Why a file that is no code may not be touched: a failing test names it, and it lies beside no code.

    What lies with code, or where programs keep what they read themselves, may be at fault as code may.
    """
    folder, _, name = path.rpartition("/")
    if path.endswith(SOURCES) or len(name) < _LONG or not folder or folder.partition("/")[0] in _OWN:
        return None
    named = re.compile(rb"[\"'/]" + re.escape(name.encode("utf-8", "surrogatepass")) + rb"[\"'`]")
    if not any(named.search(file.data) for file in tests):
        return None
    above = {"/".join(folder.split("/")[:depth]) for depth in range(1, folder.count("/") + 2)}
    beside = any(one.endswith(SOURCES) and one.rpartition("/")[0] in above for one in known)
    return None if beside else _READ


def tables(change: FileChange, before: bytes | None, known: Expectations) -> Iterator[Flag]:
    """A flag for a file that now holds both, or several inputs; it refuses where the whole file is new."""
    new, old = (_plain((data or b"").decode("utf-8", "replace")) for data in (change.content, before))
    cases = {text for text in known.texts if not _WORDS.fullmatch(text) and _is_new(text, new, old)}
    if before is None and len(cases) >= _SEVERAL:
        yield Flag(Kind.LITERAL, change.path, _LISTS, refuses=True)
        return
    inputs = any(_is_new(text, new, old) for text in known.texts)
    if inputs and any(_is_new(text, new, old) for text in _texts(known)):
        yield Flag(Kind.LITERAL, change.path, _SAYS, refuses=before is None)


def _is_new(text: str, new: str, old: str) -> bool:
    text = _plain(text)
    return len(text) >= _LONG and text in new and text not in old


def _plain(text: str) -> str:
    """Without what files escape in different ways: backslashes and quotes."""
    return text.translate(_ESCAPES)


def _texts(known: Expectations) -> Iterator[str]:
    """Expected texts and numbers as another file would have them."""
    for found in known.expected - known.inputs:
        value: object = ast.literal_eval(found) if found[:1] in "'\"-0123456789" else None
        if isinstance(value, float):
            yield str(int(value)) if value.is_integer() else str(value)
        elif isinstance(value, str):
            yield value
