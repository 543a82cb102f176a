"""Mutation operators on bounds, returns and statements. Each yields nothing for nodes that it does not know."""

import ast
import re
from collections.abc import Iterator

from bot.repair.mutation.expression_operators import ARITHMETIC
from bot.repair.mutation.mutants import Change, Scope

_GUARD_PARAMETERS = 3
_GUARD_VALUES = 4


def shift_index(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`a[i]` as `a[i + 1]` and `a[i - 1]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name | ast.BinOp | ast.Call | ast.Attribute):
        yield from _shifted(scope, node.slice, "index")


def change_slice(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """A slice's bounds one up, one down, left out, or put in."""
    if not isinstance(node, ast.Slice):
        return
    for bound in (node.lower, node.upper):
        if bound is not None:
            yield scope.replace(bound, "", "slice", f"no slice bound {scope.source(bound)}")
            if not isinstance(bound, ast.Constant):
                yield from _shifted(scope, bound, "slice")
    colon = scope.data.find(b":", scope.end(node.lower) if node.lower else scope.start(node))
    if node.lower is None:
        yield Change(colon, colon, "1", "slice", "a slice from 1", node.lineno)
    if node.upper is None:
        yield Change(colon + 1, colon + 1, "-1", "slice", "a slice up to the last element", node.lineno)


def shift_range(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`range(n)` as `range(n + 1)`, `range(n - 1)` and `range(1, n)`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
        return
    for bound in node.args[:2]:
        if not isinstance(bound, ast.Constant | ast.Starred):
            yield from _shifted(scope, bound, "range")
    if len(node.args) == 1:
        only = node.args[0]
        yield scope.replace(only, f"1, {scope.source(only)}", "range", "count from 1")


def shift_operand(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """A call's positional arguments and a comparison's right sides one up and one down, where they may be numbers."""
    values: list[ast.expr] = []
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id == "range"):
        values = [value for value in node.args if isinstance(value, ast.Name | ast.BinOp)]
    elif isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        values = [value for value in node.comparators if isinstance(value, ast.Name | ast.BinOp | ast.Call)]
    for value in values:
        yield from _shifted(scope, value, "operand")


def change_return(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """What is returned: negated, one more, one less, its opposite, or nothing."""
    if not isinstance(node, ast.Return) or node.value is None or isinstance(node.value, ast.Constant | ast.JoinedStr):
        return
    value = node.value
    if isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Call | ast.Name):
        yield scope.replace(value, f"not {scope.operand(value)}", "return value")
    if not isinstance(value, ast.Compare | ast.BoolOp | ast.List | ast.Dict | ast.Tuple | ast.ListComp):
        yield from _shifted(scope, value, "return value")
        yield scope.replace(value, f"-{scope.operand(value)}", "return value")
    yield scope.replace(value, "None", "return value")


def add_return(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """A value that nothing uses, or what a call gives, as what the function returns."""
    if not isinstance(node, ast.Expr) or isinstance(scope.node, ast.Module):
        return
    if not isinstance(node.value, ast.Constant | ast.JoinedStr | ast.Yield | ast.YieldFrom):
        called = isinstance(node.value, ast.Call | ast.Await)
        kind = "returned call" if called else "lost value"
        yield scope.replace(node, f"return {scope.source(node)}", kind, f"return {_words(scope, node)}")


def change_assignment(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`+=` as `-=` and `=`; `=` as `+=`."""
    if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
        symbol, others = ARITHMETIC[type(node.op)]
        target, news = node.target, [f"{other}=" for other in (*others, "")]
        old = f"{symbol}="
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        target, old, news = node.targets[0], "=", ["+="]
    else:
        return
    start = scope.end(target)
    gap = scope.between(start, scope.start(node.value))
    found = re.search(re.escape(old), gap)
    for new in news if found else ():
        begin = start + len(gap[: gap.index(old)].encode())
        yield Change(begin, begin + len(old), new, "assignment", f"{new} instead of {old}", node.lineno)


def swap_jump(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`break` as `continue` and the other way round."""
    if isinstance(node, ast.Break):
        yield scope.replace(node, "continue", "jump")
    if isinstance(node, ast.Continue):
        yield scope.replace(node, "break", "jump")


def remove_statement(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """A call, an assignment or a jump as `pass`."""
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
    if isinstance(node, ast.stmt) and (
        called or isinstance(node, ast.AugAssign | ast.Assign | ast.Break | ast.Continue)
    ):
        yield scope.replace(node, "pass", "statement", f"without {_words(scope, node)}")


def guard_early(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """`if not x: return …` at the top of the function, for its first parameters and for what it returns elsewhere."""
    if node is not scope.node or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    body = [part for part in node.body if not _is_docstring(part)]
    if not body or body[0].lineno == node.lineno:
        return
    at = scope.start(body[0])
    indent = " " * body[0].col_offset if scope.data[at - 1 : at] != b"\t" else "\t" * body[0].col_offset
    for parameter in scope.parameters[:_GUARD_PARAMETERS]:
        for value in _returned(scope):
            guard = f"if not {parameter}: return {value}"
            yield Change(at, at, f"{guard}\n{indent}", "guard", f"first {guard}", body[0].lineno)


def _returned(scope: Scope) -> tuple[str, ...]:
    """Constants that the function returns, then the usual empty values."""
    own = (
        scope.source(node.value)
        for node in scope.nodes
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant | ast.List | ast.Dict)
    )
    return tuple(dict.fromkeys([*own, "None", "0", "[]", "''"]))[:_GUARD_VALUES]


def _words(scope: Scope, node: ast.stmt) -> str:
    return " ".join(scope.source(node).split())[:60]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _shifted(scope: Scope, node: ast.expr, operator: str) -> Iterator[Change]:
    for sign in "+-":
        yield scope.replace(node, f"{scope.operand(node)} {sign} 1", operator)
