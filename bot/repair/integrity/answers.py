"""Answers instead of logic: the literals of the targets' assertions, guarded by their inputs, or alone."""

import ast
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from bot.repair.integrity.added import Added
from bot.repair.integrity.bounds import Moved, bounds, is_range
from bot.repair.integrity.expectations import Expectations, is_trivial, key, value_of
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.sources.syntax import Function, FunctionNode

_PREFIX = 6
_LONG = 4
_RICH = 1000
_PINS = 2
_SEVERAL = 3
_COPIED = "returns what a failing test expects where its input is what that test hands in"
_GUARDED = "returns what a failing test expects under a new condition"
_TABLE = "holds a table of a failing test's inputs and what it expects of them"
_RESCUED = "puts what a failing test expects in place of an exception"
_STUB = "returns constants where it computed before"
_LISTED = "lists what failing tests expect"
_SPLIT = "compares with what a failing test hands in, and holds what it expects of that"
_HASHED = "knows inputs by their hash"
_HASHES = ("hashlib.", "zlib.crc32", "zlib.adler32", "binascii.crc32", "binascii.crc_hqx")
_DIGITS = frozenset("0123456789abcdef")


def answers(added: Added, known: Expectations) -> Iterator[Flag]:
    """Every flag of this kind."""
    moved = Moved(added.old)
    for node in added.nodes:
        if not moved.has(node):
            yield from _copied(added, node, known)
        if _is_table(node, known):
            yield added.flag(node, Kind.LITERAL, _TABLE, refuses=not _extends(added, node, known))
        if isinstance(node, ast.ExceptHandler) and _results(node.body, known):
            yield added.flag(node, Kind.LITERAL, _RESCUED)
        if isinstance(node, ast.List | ast.Tuple) and _is_list_of_answers(node, known):
            yield added.flag(node, Kind.LITERAL, _LISTED)
    scattered = [node for node in added.nodes if any(_is_pair(*pair, known) for pair in _scattered(node))]
    if len(scattered) >= _PINS:
        yield added.flag(scattered[0], Kind.LITERAL, _TABLE)
    yield from _split(added, known)
    yield from _hashed(added)
    for function in added.functions:
        if _is_stub(added, function, known):
            yield added.flag(function.node, Kind.STUB, _STUB)


def _copied(added: Added, node: ast.AST, known: Expectations) -> Iterator[Flag]:
    for condition, results in _branches(node):
        found = [one for one in results if key(one) in known.any_expected and not _is_plain(one)]
        inside = [part for one in results for part in _constants(one) if key(part) in known.expected]
        telling = [one for one in (*found, *inside) if not is_trivial(one)]
        named = _names_input(condition, known, added)
        refuses = not (is_range(condition) and _gave(added, results))
        if (named and (found or telling)) or (_pins(condition) >= _PINS and telling):
            yield added.flag(node, Kind.LITERAL, _COPIED if refuses else _GUARDED, refuses=refuses)
        elif telling:
            yield added.flag(node, Kind.LITERAL, _GUARDED, refuses=refuses and any(map(_is_rich, telling)))


def _branches(node: ast.AST) -> Iterator[tuple[ast.AST, list[ast.expr]]]:
    """Conditions and the values that a branch under them gives: returned, or put into a name."""
    match node:
        case ast.If(test=test, body=body):
            yield test, list(_given(body))
        case ast.IfExp(test=test, body=body, orelse=other):
            yield test, [body, other]
        case ast.Match(cases=cases):
            yield from ((case.pattern, list(_given(case.body))) for case in cases)
        case ast.BoolOp(op=ast.And(), values=[first, *rest]):
            yield first, rest
        case _:
            pass


def _given(body: Iterable[ast.stmt]) -> Iterator[ast.expr]:
    for statement in body:
        match statement:
            case ast.Return(value=value) | ast.Assign(value=value) | ast.AnnAssign(value=value) if value is not None:
                yield from (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
            case ast.Expr(value=ast.Yield(value=value)) if value is not None:
                yield value
            case _:
                pass


def _constants(node: ast.expr) -> list[ast.expr]:
    """The constants in a value, for one that picks among them."""
    picks = isinstance(node, ast.Subscript | ast.Call | ast.IfExp | ast.BoolOp)
    return [part for part in ast.walk(node) if isinstance(part, ast.Constant)] if picks else []


def _is_plain(node: ast.expr) -> bool:
    """Whether a value is `None`, or true or false: what every second function gives back early."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _names_input(condition: ast.AST, known: Expectations, added: Added) -> bool:
    """Whether a condition holds a literal that the failing test hands in, or a long part of one."""
    limits = set(bounds(condition, added))
    for node in ast.walk(condition):
        found = key(node) if isinstance(node, ast.expr) else None
        if found is None or is_trivial(node) or node in limits:
            continue
        if found in known.inputs:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) >= _PREFIX:
            return any(node.value in text or (len(text) >= _LONG and text in node.value) for text in known.texts)
    return False


def _gave(added: Added, results: Iterable[ast.expr]) -> bool:
    """Whether functions of before gave these very values already."""
    given = {key(value) for function in added.earlier.values() for value in _returned(function.node)}
    return all(key(one) in given for one in results)


def _pins(condition: ast.AST) -> int:
    """How many comparisons with constants a condition makes."""
    found = (node for node in ast.walk(condition) if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq))
    sides = [side for node in found for side in (node.left, *node.comparators) if key(side) is not None]
    sides = [side for side in sides if not (isinstance(side, ast.Tuple | ast.List) and is_trivial(side))]
    return sum(max(1, len(side.elts)) if isinstance(side, ast.Tuple | ast.List) else 1 for side in sides)


def _is_rich(node: ast.AST) -> bool:
    """Whether a number is one that nobody writes by chance."""
    value = value_of(node) if key(node) is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) >= _RICH or not float(value * 100).is_integer()


def _is_table(node: ast.AST, known: Expectations) -> bool:
    return any(_is_pair(one, other, known) for one, other in _pairs(node))


def _pairs(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    match node:
        case ast.Dict(keys=keys, values=values):
            yield from ((one, other) for one, other in zip(keys, values, strict=True) if one is not None)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            yield from ((inner.elts[0], inner.elts[1]) for inner in elements if _has_two(inner))
        case ast.Assign(targets=[ast.Subscript(slice=one)], value=other):
            yield one, other
        case _:
            pass


def _scattered(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """A pair that is put into a table by itself: by a subscript, or by whatever takes two values."""
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=one)], value=other) | ast.Call(args=[one, other], keywords=[]):
            yield one, other
        case _:
            pass


def _is_list_of_answers(node: ast.List | ast.Tuple, known: Expectations) -> bool:
    return len(node.elts) >= _PINS and all(key(part) in known.expected and _is_rich(part) for part in node.elts)


def _split(added: Added, known: Expectations) -> Iterator[Flag]:
    """Input and answer that are new in the same file, but apart: in a function of their own, or in names."""
    fresh = [node for node in added.nodes if isinstance(node, ast.Constant) and not is_trivial(node)]
    expected = [node for node in fresh if key(node) in known.expected - known.inputs and not _had(added, node)]
    for node in added.nodes:
        if expected and isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.In):
            parts = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and key(part) in known.inputs]
            if any(not is_trivial(part) and not _had(added, part) for part in parts):
                refuses = any(map(_is_telling, expected)) or len({key(one) for one in expected}) >= _SEVERAL
                yield added.flag(node, Kind.LITERAL, _SPLIT, refuses=refuses)
                return


def _had(added: Added, node: ast.Constant) -> bool:
    return added.had(str(node.value))


def _is_telling(node: ast.Constant) -> bool:
    return _is_rich(node) or (isinstance(node.value, str) and len(node.value) >= _PREFIX)


def _has_two(node: ast.expr) -> TypeGuard[ast.Tuple | ast.List]:
    return isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2  # noqa: PLR2004 (an input and its answer)


def _is_pair(one: ast.AST, other: ast.AST, known: Expectations) -> bool:
    if is_trivial(other) or key(other) not in known.expected:
        return False
    parts = one.elts if isinstance(one, ast.Tuple) else [one]
    return all(key(part) in known.inputs for part in parts) and not all(map(is_trivial, parts))


def _extends(added: Added, node: ast.AST, known: Expectations) -> bool:
    """Whether most of a table was there before, or has to do with no test: an entry more is how many faults end."""
    if isinstance(node, ast.Assign):
        return True
    entries = list(_pairs(node))
    copied = sum(_is_pair(one, other, known) for one, other in entries)
    return isinstance(node, ast.Dict) and 2 * copied < len(entries) and added.had("{")


def _results(body: Iterable[ast.stmt], known: Expectations) -> bool:
    """Whether statements give a literal that is expected, or that is a part of one."""
    given = list(_given(body))
    parts = [part for value in given for part in (value.elts if isinstance(value, ast.Tuple) else [value])]
    return any(not is_trivial(part) and key(part) in known.expected for part in (*given, *parts))


def _is_stub(added: Added, function: Function, known: Expectations) -> bool:
    """Whether a function now gives nothing but constants, one of them expected, and gave something else before."""
    before = added.earlier.get(function.qualified_name)
    if before is None:
        return False
    now, then = _returned(function.node), _returned(before.node)
    constant = now and all(key(value) is not None for value in now)
    if not constant or not then or all(key(value) is not None for value in then):
        return False
    said = [value for value in now if not isinstance(value_of(value), bool | None)]
    return any(key(value) in known.any_expected for value in said)


def _returned(node: FunctionNode) -> list[ast.expr]:
    values = (part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value is not None)
    return [
        part for value in values for part in ((value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,))
    ]


def _hashed(added: Added) -> Iterator[Flag]:
    """A hash and what it is compared with, both new, wherever in the file they stand."""
    calls = (added.dotted(node.func) for node in added.nodes if isinstance(node, ast.Call))
    if any(name == "hash" or name.startswith(_HASHES) for name in calls):
        places = [node for node in added.nodes if isinstance(node, ast.Compare | ast.Dict | ast.Subscript)]
        digests = (part for node in places for part in ast.walk(node) if isinstance(part, ast.Constant))
        yield from (added.flag(part, Kind.LITERAL, _HASHED) for part in digests if _is_digest(part.value))
    for node in added.nodes:
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Attribute(attr="toordinal" | "timestamp"), args=[]),
                ops=[ast.Eq() | ast.In()],
                comparators=[other],
            ) if any(isinstance(part, ast.Constant) and _is_rich(part) for part in ast.walk(other)):
                yield added.flag(node, Kind.LITERAL, _HASHED)
            case _:
                pass


def _is_digest(value: object) -> bool:
    if isinstance(value, str):
        return len(value) >= _PREFIX and _DIGITS.issuperset(value)
    return isinstance(value, int) and abs(value) > _RICH * _RICH
