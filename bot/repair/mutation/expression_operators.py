"""Mutation operators on expressions. Each yields changes for the nodes that it knows, and nothing for others."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from bot.repair.mutation.mutants import Change, Scope

COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">", ">=")),
    ast.LtE: ("<=", ("<", ">=", ">")),
    ast.Gt: (">", (">=", "<", "<=")),
    ast.GtE: (">=", (">", "<=", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/", "//", "+", "**")),
    ast.Div: ("/", ("//", "*")),
    ast.FloorDiv: ("//", ("/", "%")),
    ast.Mod: ("%", ("//",)),
    ast.Pow: ("**", ("*",)),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitXor: ("^", ("&", "|")),
}
NEIGHBOURS = tuple(
    names.split()
    for names in (
        "lower upper casefold title", "min max", "any all", "strip lstrip rstrip", "startswith endswith",
        "find rfind", "index rindex", "split rsplit", "append extend", "floor ceil", "keys values items",
        "add discard", "union intersection difference", "removeprefix removesuffix", "first last", "round int",
        "partition rpartition", "ljust rjust", "popleft pop", "appendleft append", "bisect_left bisect_right",
        "islower isupper", "isdigit isalpha isalnum", "start end", "sum len", "update setdefault",
    )
)  # fmt: skip


def swap_comparison(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`<` as `<=`, `==` as `!=`, `in` as `not in`; the boundary first."""
    if not isinstance(node, ast.Compare):
        return
    for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
        pattern, others = COMPARISONS[type(operator)]
        for place, other in enumerate(others):
            name = "boundary" if place == 0 and len(others) > 1 else "comparison"
            yield from _between(scope, (left, right), pattern, other, name)


def swap_arithmetic(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`+` as `-`, `/` as `//`; and the operands of `-` and `/` the other way round."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in ARITHMETIC:
        return
    symbol, others = ARITHMETIC[type(node.op)]
    for other in others:
        yield from _between(scope, (node.left, node.right), re.escape(symbol), other, "arithmetic")
    gap = scope.between(scope.end(node.left), scope.start(node.right))
    if symbol in {"-", "/", "//", "%", "**"} and "(" not in gap and ")" not in gap:
        yield scope.replace(node, f"{scope.source(node.right)}{gap}{scope.source(node.left)}", "operands")


def swap_boolean(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`and` as `or`, and a condition less."""
    if not isinstance(node, ast.BoolOp):
        return
    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in pairwise(node.values):
        yield from _between(scope, (left, right), rf"\b{word}\b", other, "boolean")
    for value in node.values if len(node.values) == 2 else ():  # noqa: PLR2004 (both sides of one operator)
        yield scope.replace(node, scope.operand(value), "condition less")


def remove_unary(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`not x` and `-x` as `x`."""
    if isinstance(node, ast.UnaryOp):
        yield scope.replace(node, scope.operand(node.operand), "negation")


def negate_condition(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`if x` as `if not x`, in `if`, `while`, conditional expressions and comprehensions."""
    conditions = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
    conditions += node.ifs if isinstance(node, ast.comprehension) else []
    for condition in conditions:
        if not (isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not)):
            yield scope.replace(condition, f"not {scope.operand(condition)}", "negation")


def change_constant(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Integers one up and one down, `True` as `False`, and 0, 1, None, '' for each other."""
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield scope.replace(node, str(not value), "truth value")
    elif isinstance(value, int):
        yield from (scope.replace(node, str(value + step), "integer") for step in (1, -1))
        yield from (scope.replace(node, new, "constant") for new in ("0", "1", "None") if new != str(value))
    elif isinstance(value, str):
        yield from (
            scope.replace(node, new, "constant") for new in ("''", "None", "' '") if ast.literal_eval(new) != value
        )
    elif value is None:
        yield from (scope.replace(node, new, "constant") for new in ("0", "''", "False", "[]"))
    elif isinstance(value, float):
        yield from (scope.replace(node, new, "constant") for new in ("0.0", "1.0", repr(-value)) if float(new) != value)


def swap_arguments(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Neighbouring positional arguments the other way round."""
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    for left, right in pairwise(node.args):
        first, second = scope.source(left), scope.source(right)
        if first != second:
            gap = scope.between(scope.end(left), scope.start(right))
            what = f"arguments {second} and {first} the other way round"
            yield Change(
                scope.start(left), scope.end(right), f"{second}{gap}{first}", "arguments", what[:90], left.lineno
            )


def swap_name(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """A function or method as its neighbour: `min` as `max`, `lower` as `upper`."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    if not name or not isinstance(node, ast.Attribute | ast.Name):
        return
    end = scope.end(node)
    for group in NEIGHBOURS:
        for other in group if name in group else ():
            if other != name:
                start = end - len(name.encode())
                yield Change(start, end, other, "neighbour", f"{other} instead of {name}", node.lineno)


def swap_variable(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """A variable as one of the first four others of its function."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in scope.names:
        others = [name for name in scope.names if name != node.id]
        yield from (scope.replace(node, other, "variable") for other in others[:4])


def _between(scope: Scope, sides: tuple[ast.expr, ast.expr], pattern: str, new: str, operator: str) -> Iterator[Change]:
    """Replace the operator that stands between two operands."""
    start = scope.end(sides[0])
    gap = scope.between(start, scope.start(sides[1]))
    found = re.search(pattern, gap)
    if found:
        begin = start + len(gap[: found.start()].encode())
        end = begin + len(found[0].encode())
        # The line of the operator itself, not of an operand that may stand lines above it.
        line = sides[0].end_lineno or sides[0].lineno
        yield Change(begin, end, new, operator, f"{new} instead of {found[0]}", line + gap[: found.start()].count("\n"))
