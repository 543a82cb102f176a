"""Twins of tests in Python, by their syntax trees and the bytes that these point to."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.repair.integrity.twin import Twin
from bot.repair.sources.syntax import Function, FunctionNode, functions, parse

_EQUALITIES = frozenset({
    "assertEqual", "assertEquals", "assertListEqual", "assertTupleEqual", "assertDictEqual", "assertSetEqual",
    "assertCountEqual", "assertSequenceEqual", "assertMultiLineEqual", "assertAlmostEqual", "assertIs",
})  # fmt: skip
_TRUTHS = {"assertTrue": "assertFalse", "assertFalse": "assertTrue"}
_RAISES = re.compile(r"raises|assertRaises|warns|assertWarns|suppress", re.IGNORECASE)
_SHAPES: Mapping[type, str] = {list: "[{0}]", tuple: "({0},)", dict: "{{{0}: {0}}}", set: "{{{0}}}", bytes: "b{0}"}


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


def twin(source: bytes, tests: Mapping[str, int], token: str, *, unittest: bool) -> Twin | None:
    """See `bot.repair.integrity.twins`."""
    tree = parse(source)
    if tree is None or not tests or not _is_utf8(source):
        return None
    starts = _starts(source)
    found = {function.qualified_name: function for function in functions(tree)}
    # Of a test with parameters every case stands for the one function.
    lines = {_qualified(test): line for test, line in tests.items()}
    edits = {
        name: edit
        for name, line in lines.items()
        if name in found and (edit := _alteration(found[name], line, token, starts, source))
    }
    changed = _applied(source, edits.values())
    if parse(changed) is None:
        changed, edits = source, {}
    name, code = _fresh(next(iter(tests)), token, unittest=unittest)
    altered = frozenset(test for test in tests if _qualified(test) in edits)
    if parse(source + code) is None:
        return None
    return Twin(source + code, changed + code, name, altered)


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode()
    except UnicodeDecodeError:
        return False
    return True


def _qualified(test: str) -> str:
    return test.partition("[")[0].replace("::", ".")


def _fresh(test: str, token: str, *, unittest: bool) -> tuple[str, bytes]:
    owner, _, name = _qualified(test).rpartition(".")
    # Names that are made while tests are collected may hold anything.
    name = f"{name if name.isidentifier() else 'test'}_{token}"
    if not unittest:
        return name, f"\n\ndef {name}():\n    assert {name!r} == ''\n".encode()
    last = owner.rpartition(".")[2]
    owner = f"{last if last.isidentifier() else 'Test'}{token}"
    body = f"    def {name}(self):\n        self.assertEqual({name!r}, '')\n"
    return f"{owner}::{name}", f"\n\nclass {owner}(__import__('unittest').TestCase):\n{body}".encode()


def _alteration(function: Function, line: int, token: str, starts: list[int], source: bytes) -> _Edit | None:
    """Another expectation in the assertion that failed, or in the next one; else a failure at the test's end.

    A test that may leave early is left as it is: with a true fix, too, it may not come to what was altered.
    """
    body = function.node.body
    if any(isinstance(part, ast.Return | ast.Yield | ast.YieldFrom) for part in _inside(body)):
        return None
    found = list(_expectations(body, token, starts, source))
    if found:
        return next((edit for at, edit in found if at >= line), found[-1][1])
    if body[-1].lineno == function.node.lineno:
        return None
    indent = source[starts[body[0].lineno - 1] : _start(body[0], starts)].decode()
    end = _end(body[-1], starts)
    return _Edit(end, end, f"\n{indent}raise AssertionError({token!r})") if not indent.strip() else None


def _inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """These and what lies in them, but not in functions and classes among them."""
    for node in nodes:
        yield node
        if not isinstance(node, FunctionNode | ast.Lambda | ast.ClassDef):
            yield from _inside(ast.iter_child_nodes(node))


def _expectations(body: list[ast.stmt], token: str, starts: list[int], source: bytes) -> Iterator[tuple[int, _Edit]]:
    """The last line and the alteration of every assertion that the test is bound to reach."""
    for statement in body:
        match statement:
            case ast.With(items=items, body=inner) | ast.AsyncWith(items=items, body=inner):
                if not any(_RAISES.search(ast.unparse(item.context_expr)) for item in items):
                    yield from _expectations(inner, token, starts, source)
            case ast.Assert() | ast.Expr(value=ast.Call()):
                if edit := _altered(statement, token, starts, source):
                    yield statement.end_lineno or statement.lineno, edit
            case _:
                pass


def _altered(statement: ast.stmt, token: str, starts: list[int], source: bytes) -> _Edit | None:
    def instead(node: ast.expr, text: str) -> _Edit:
        return _Edit(_start(node, starts), _end(node, starts), text)

    match statement:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            node = left if _is_literal(left) and not _is_literal(right) else right
            return instead(node, _other(node, token))
        case ast.Assert(test=ast.Compare(ops=[ast.Lt() | ast.LtE()]) as test) if number := _subtracted(test):
            return instead(number, _other(number, token))
        case ast.Assert(test=test):
            inner = source[_start(test, starts) : _end(test, starts)].decode()
            return instead(test, f"(not ({inner}))")
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=[left, right, *_])) if name in _EQUALITIES:
            node = left if _is_literal(left) and not _is_literal(right) else right
            return instead(node, _other(node, token))
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) as attribute)) if name in _TRUTHS:
            end = _end(attribute, starts)
            return _Edit(end - len(name), end, _TRUTHS[name])
        case _:
            return None


def _subtracted(test: ast.Compare) -> ast.expr | None:
    """The one number that a result is compared with by their difference, as in `abs(f(2) - 1.41) < 0.01`."""
    found = [part for part in ast.walk(test) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub)]
    sides = [side for part in found for side in (part.left, part.right) if isinstance(side, ast.Constant)]
    return sides[0] if len(found) == len(sides) == 1 else None


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _other(node: ast.expr, token: str) -> str:
    """Something else of the same type where that can be told, so that nothing but the value is wrong."""
    value = ast.literal_eval(node) if _is_literal(node) else None
    number = 1_000_000 + int(token[:6], 36)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(type(value)(number))
    return _SHAPES.get(type(value), "{0}").format(repr(token))


def _starts(source: bytes) -> list[int]:
    """Where each line begins. A carriage return alone ends a line for Python, too."""
    return [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", source))]


def _start(node: ast.expr | ast.stmt, starts: list[int]) -> int:
    return starts[node.lineno - 1] + node.col_offset


def _end(node: ast.expr | ast.stmt, starts: list[int]) -> int:
    return starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def _applied(source: bytes, edits: Collection[_Edit]) -> bytes:
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        source = source[: edit.start] + edit.text.encode() + source[edit.end :]
    return source
