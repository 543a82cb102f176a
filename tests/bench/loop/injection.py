"""Faults put into sound code, one at a time: what a person gets wrong in one place, at a place that a digest chooses.

Written apart from the product's own mutation search, and with faults that it has no inverse for, such as a statement
that is gone. Only the faulty segment of the file differs.
"""

import ast
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bot.repair.protection import BY_NAME
from sandbox.spec import Tree

PYTHON = ".py"
MOST_BYTES = 200_000
_COMPARED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to spoil one file."""

    path: str
    line: int
    kind: str
    content: bytes


def faults(tree: Tree, seed: str) -> Iterator[Fault]:
    """Every fault of a tree's own Python code, in an order that the seed decides; equal trees give equal faults."""
    found = [
        fault
        for path, file in tree.items()
        if path.endswith(PYTHON) and BY_NAME.is_source(path) and len(file.data) <= MOST_BYTES
        for fault in _of_file(path, file.data)
    ]
    yield from sorted(found, key=lambda fault: _place(seed, fault))


def _place(seed: str, fault: Fault) -> bytes:
    text = f"{seed}\0{fault.path}\0{fault.line}\0{fault.kind}\0".encode() + fault.content
    return hashlib.sha256(text).digest()


def _of_file(path: str, data: bytes) -> Iterator[Fault]:
    try:
        parsed = ast.parse(data.decode("utf-8"))
    except (SyntaxError, ValueError):
        return
    for function in ast.walk(parsed):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in _own_nodes(function):
                for kind, spoil in KINDS.items():
                    text = spoil(node)
                    if text is not None:
                        yield Fault(path, node.lineno, kind, _replaced(data, node, text))


def _own_nodes(function: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """The nodes of a function's body that are in no function inside of it, its docstring left out."""
    body = getattr(function, "body", [])
    waiting: list[ast.AST] = [node for node in body if not _is_text(node)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.JoinedStr):
            continue
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        waiting += ast.iter_child_nodes(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _replaced(data: bytes, node: ast.expr | ast.stmt, text: str) -> bytes:
    lines = data.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    begin = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    return data[:begin] + text.encode() + data[end:]


def _comparison(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Compare) or type(node.ops[0]) not in _COMPARED:
        return None
    return _written(ast.Compare(node.left, [_COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators))


def _arithmetic(node: ast.AST) -> str | None:
    if not isinstance(node, ast.BinOp) or type(node.op) not in _COMPUTED or _has_text(node):
        return None
    return _written(ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))


def _has_text(node: ast.BinOp) -> bool:
    """Whether an operand is plainly no number, so that the fault would be noticed at once."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr | ast.List) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _logic(node: ast.AST) -> str | None:
    if not isinstance(node, ast.BoolOp):
        return None
    return _written(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))


def _negation(node: ast.AST) -> str | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _written(node.operand)
    return None


def _constant(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bool):
        return str(not node.value)
    return str(node.value + 1) if isinstance(node.value, int) else None


def _swapped_arguments(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call) or len(node.args) != 2 or any(isinstance(one, ast.Starred) for one in node.args):
        return None
    return _written(ast.Call(node.func, node.args[::-1], node.keywords))


def _lost_statement(node: ast.AST) -> str | None:
    return "pass" if isinstance(node, ast.AugAssign | ast.Expr) and not _is_text(node) else None


def _lost_value(node: ast.AST) -> str | None:
    return "return None" if isinstance(node, ast.Return) and node.value is not None else None


def _written(node: ast.expr) -> str:
    """In parentheses, and on one line, so that it stands wherever the old one stood."""
    return f"({ast.unparse(node)})"


KINDS: Mapping[str, Callable[[ast.AST], str | None]] = {
    "comparison": _comparison,
    "arithmetic": _arithmetic,
    "logic": _logic,
    "negation": _negation,
    "constant": _constant,
    "swapped arguments": _swapped_arguments,
    "lost statement": _lost_statement,
    "lost value": _lost_value,
}
