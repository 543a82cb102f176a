"""Special cases: new code that knows several inputs, or several answers, of its tests by heart, in any guise.

Words for people are tested for what they say, and a table that was there before is how many faults end: neither counts.
"""

import ast
import re
from collections.abc import Iterator

from bot.repair.integrity.added import Added
from bot.repair.integrity.expectations import Expectations, text_of
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.integrity.folding import folded, scalars

_TOGETHER, _APART = 2, 3
_LONG, _LISTED = 4, 8
_RICH, _HUGE = 1000, 1e15
_SEPARATORS = re.compile(r"[|,;:\n\t\"'{}\[\]()=]+")
_PHRASE = re.compile(r"(['\"]).*[^\w./-].*\1", re.DOTALL)
_INPUTS = "knows several inputs of the failing tests by heart"
_ANSWERS = "knows several answers that failing tests expect by heart"


def special(added: Added, known: Expectations) -> Iterator[Flag]:
    """Every flag of this kind."""
    said = {id(part) for part in _said(added)}
    nodes = [node for node in added.nodes if isinstance(node, ast.expr) and id(node) not in said]
    for wanted, says in ((known.inputs, _INPUTS), (known.expected, _ANSWERS)):
        kept = set[str]()
        for node in nodes if wanted else ():
            here = frozenset(one for part in _held(node) for one in _known(added, part, wanted))
            kept |= here
            together = len(here) >= _TOGETHER and not (says is _ANSWERS and isinstance(node, ast.Dict))
            if here and (together or len(kept) >= _APART):
                refuses = together or says is _INPUTS or all(map(_PHRASE.fullmatch, kept))
                yield added.flag(node, Kind.LITERAL, says, refuses=refuses)


def _held(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what a display holds beside what is computed."""
    yield node
    match node:
        case ast.Dict(keys=keys):
            yield from (part for part in keys if part is not None)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            for element in elements:
                yield from _held(element)
        case _:
            pass


def _said(added: Added) -> Iterator[ast.AST]:
    """What may be new for other reasons: words for people, what an older table gained."""
    for node in ast.walk(added.tree):
        longer = isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set) and node.lineno not in added.lines
        if longer or isinstance(node, ast.Raise):
            yield from ast.walk(node)
        elif isinstance(node, ast.Call):
            yield from (part for part in node.args if _is_sentence(part))
            yield from (keyword.value for keyword in node.keywords if _is_sentence(keyword.value))


def _is_sentence(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 1


def _known(added: Added, node: ast.expr, wanted: frozenset[str]) -> Iterator[str]:
    """The wanted keys of the texts and numbers that an expression of constants holds and the old file did not."""
    try:
        value = folded(node, added.dotted)
    except ValueError:
        return
    for whole in scalars(value):
        found = wanted.intersection(text_of(part) for part in _parts(whole) if _is_telling(part))
        if found and not added.had(str(whole)):
            yield from found


def _parts(whole: str | float) -> Iterator[str | float]:
    if not isinstance(whole, str):
        yield whole
        if isinstance(whole, int) and _RICH <= abs(whole) < _HUGE:
            yield f"{whole / 100:.2f}"
    else:
        listed = _SEPARATORS.split(whole) if len(whole) > _LISTED else ()
        for part in (whole, whole[::-1], *(one.strip().replace("\\", "") for one in listed)):
            yield part
            if part.replace(".", "", 1).isdecimal():
                yield float(part)


def _is_telling(value: str | float) -> bool:
    """Whether nobody writes a value by chance; seconds of a day, thousands and powers of two are what programs hold."""
    if isinstance(value, str):
        return len(value) >= _LONG
    if abs(value) < _RICH:
        return not float(value * 100).is_integer()
    whole = int(value) if abs(value) < _HUGE else 1
    return bool(whole % 100) and bool(whole & (whole - 1))
