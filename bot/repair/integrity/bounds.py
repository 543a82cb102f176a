"""Conditions that faults end in: limits and lists of members that only got other values.

Tests are made at limits, so a limit that was wrong is a test's input once it is right.
"""

import ast
from collections.abc import Iterator

from bot.repair.integrity.added import Added
from bot.repair.integrity.expectations import key

_KEPT = 2


def bounds(condition: ast.AST, added: Added) -> Iterator[ast.AST]:
    """Limits that were there before: tests are made at limits, and `>` for `>=` is how many faults end."""
    for node in ast.walk(condition):
        if isinstance(node, ast.Compare) and all(
            isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops
        ):
            yield from (side for side in (node.left, *node.comparators) if added.had(ast.unparse(side)))


class Moved:
    """The branches of an old file behind a limit or a list of numbers, to know those again that got other ones."""

    def __init__(self, old: ast.Module) -> None:
        """Reads them once."""
        self._branches: dict[tuple[str, ...], list[frozenset[str]]] = {}
        for node in ast.walk(old):
            if (branch := _branch(node)) is not None:
                self._branches.setdefault(branch[0], []).append(branch[1])

    def has(self, node: ast.AST) -> bool:
        """Whether a limit has only got another value, or a list of numbers one more, of those that it had.

        The same branch stood behind it before, with the same side free.
        """
        branch = _branch(node)
        if branch is None:
            return False
        earlier = self._branches.get(branch[0], [])
        return any(not branch[1] or (len(branch[1] - one) <= 1 and len(branch[1] & one) >= _KEPT) for one in earlier)


def _branch(node: ast.AST) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """What a branch is known by, and the keys of the numbers that its condition lists."""
    if not isinstance(node, ast.If | ast.IfExp):
        return None
    if (free := _limited(node.test)) is not None:
        return (type(node).__name__, "limit", free, _given_by(node)), frozenset()
    if (listed := _members(node.test)) is not None:
        return (type(node).__name__, "list", listed[0], _given_by(node)), listed[1]
    return None


def is_range(condition: ast.AST) -> bool:
    """Whether a condition is nothing but limits of something that is computed, as in `11 <= number % 100 <= 13`."""
    match condition:
        case ast.Compare(left=left, ops=[_, _], comparators=[middle, right]):
            limits = all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in condition.ops)
            computed = isinstance(middle, ast.BinOp) and key(middle) is None
            return limits and computed and key(left) != key(right)
        case _:
            return False


def _limited(test: ast.expr) -> str | None:
    """The side of one plain inequality that is no constant, as text."""
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
            free = [side for side in (left, right) if key(side) is None]
            return ast.unparse(free[0]) if len(free) == 1 else None
        case _:
            return None


def _members(test: ast.expr) -> tuple[str, frozenset[str]] | None:
    """What has to be one of several numbers, as text, and the keys of these."""
    match test:
        case ast.Compare(left=left, ops=[ast.In()], comparators=[ast.Tuple() | ast.List() | ast.Set() as listed]):
            numbers = all(isinstance(one, ast.Constant) and isinstance(one.value, int | float) for one in listed.elts)
            return (ast.unparse(left), frozenset(map(str, map(key, listed.elts)))) if numbers else None
        case _:
            return None


def _given_by(node: ast.If | ast.IfExp) -> str:
    body = node.body if isinstance(node.body, list) else [node.body, node.orelse]
    return "\n".join(ast.unparse(part) for part in body if isinstance(part, ast.AST))
