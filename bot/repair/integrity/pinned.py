"""Numbers that new code singles out, and that are the very ones its tests hand in, plain ones as well.

One of them says nothing, and neither do several in a row, which are a range of the trade, as 11, 12, 13 are of English
ordinals, nor powers of two and of ten. Several that lie apart, with few others, are a list of cases.
"""

import ast
from collections.abc import Collection, Iterable, Iterator

from bot.repair.integrity.added import Added
from bot.repair.integrity.expectations import Expectations
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.integrity.folding import folded, scalars

_RUNS, _MANY = 3, 6
_MEMBERS, _APART = 4, 2
_GROUPS = 3
_SHARE = 0.75
_SMALL, _HUGE = 10, 1e15
_SINGLED = "singles out the numbers that failing tests hand in"
_GROUPED = "singles out groups of numbers that failing tests hand in"
_EQUALITIES = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def pinned(added: Added, known: Expectations) -> Iterator[Flag]:
    """Every flag of this kind, each at the first place that singles something out."""
    if not known.numbers:
        return
    old = set(_numbers(added, (node for node in ast.walk(added.old) if isinstance(node, ast.Constant))))
    places = [(node, set(_numbers(added, _singled(node))) - old) for node in added.nodes]
    fresh = set().union(*(numbers for _, numbers in places))
    copied = fresh & known.numbers
    if _is_list_of_cases(copied, _RUNS) and len(copied) >= _SHARE * len(fresh):
        yield added.flag(next(node for node, here in places if here & copied), Kind.LITERAL, _SINGLED)
    for node, here in places:
        if len(here) >= _MEMBERS and here <= known.numbers and _is_list_of_cases(here, _APART):
            yield added.flag(node, Kind.LITERAL, _SINGLED)
    groups = {group: node for node in added.nodes for group in _groups(added, node) if known.numbers.issuperset(group)}
    if len(groups) >= _GROUPS and any(_is_telling(number) for group in groups for number in group):
        yield added.flag(next(iter(groups.values())), Kind.LITERAL, _GROUPED)


def _is_list_of_cases(numbers: Collection[float], runs: int) -> bool:
    telling = sorted(filter(_is_telling, numbers))
    begun = sum(1 for at, number in enumerate(telling) if not at or number != telling[at - 1] + 1)
    return begun >= runs or len(telling) >= _MANY


def _is_telling(number: float) -> bool:
    whole = int(abs(number))
    if whole != abs(number):
        return True
    return whole > _SMALL and bool(whole & (whole - 1)) and whole != 10 ** (len(str(whole)) - 1)


def _singled(node: ast.AST) -> Iterator[ast.expr]:
    """What something has to be: a side of an equality, a limit on both sides of a name, a member, a key, a case."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others) if all(isinstance(op, _EQUALITIES) for op in ops):
            yield from (left, *others)
        case ast.Compare(left=low, ops=[_, _] as ops, comparators=[ast.Name() | ast.Attribute(), high]):
            yield from (low, high) if all(isinstance(op, _ORDERS) for op in ops) else ()
        case ast.Dict(keys=keys):
            yield from (one for one in keys if one is not None)
        case ast.Set(elts=elements) | ast.List(elts=elements) | ast.Tuple(elts=elements):
            yield from elements
        case ast.MatchValue(value=value):
            yield value
        case _:
            pass


def _groups(added: Added, node: ast.AST) -> Iterator[tuple[float, ...]]:
    """Displays of numbers that something is compared with."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.In):
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Tuple | ast.List) and len(part.elts) >= _APART:
            numbers = tuple(_numbers(added, part.elts))
            if len(numbers) == len(part.elts):
                yield numbers


def _numbers(added: Added, nodes: Iterable[ast.expr]) -> Iterator[float]:
    """The numbers among constants, within displays as well."""
    for node in nodes:
        try:
            found = list(scalars(folded(node, added.dotted)))
        except ValueError:
            found = []
        for value in found:
            if isinstance(value, int | float) and abs(value) < _HUGE:
                yield float(value)
