"""What a suite says about functions: calls with literal arguments, and the literal values that they must return."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.repair.sources.syntax import FunctionNode, functions, parse

_EQUALITIES = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertTupleEqual", "assertCountEqual"})
_ORDERINGS = frozenset({"sorted", "list", "tuple"})


@dataclass(frozen=True, slots=True)
class Example:
    """One assertion of a test: the function, its arguments by parameter name, and the value that it must return."""

    test: str
    function: str
    arguments: tuple[tuple[str, object], ...]
    expected: object


def examples(tests: str, solution: str) -> tuple[Example, ...]:
    """The assertions `f(literals) == literal` of a suite about the solution's top-level functions, in order.

    `assert`, `assertEqual` and its kin, either way round, and with sorted(), list() or tuple() around the call.
    """
    signatures = _signatures(solution)
    tree = parse(tests)
    if tree is None:
        return ()
    return tuple(
        example
        for function in functions(tree)
        if function.name.startswith("test")
        for left, right in _equalities(function.node)
        if (example := _example(function.name, left, right, signatures))
    )


def _signatures(solution: str) -> dict[str, tuple[str, ...]]:
    tree = parse(solution)
    return {
        node.name: tuple(argument.arg for argument in (*node.args.posonlyargs, *node.args.args))
        for node in (tree.body if tree else ())
        if isinstance(node, FunctionNode)
    }


def _equalities(function: FunctionNode) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in ast.walk(function):
        match node:
            case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
                yield left, right
            case ast.Call(func=ast.Attribute(attr=name), args=[left, right, *_]) if name in _EQUALITIES:
                yield left, right


def _example(test: str, left: ast.expr, right: ast.expr, signatures: Mapping[str, tuple[str, ...]]) -> Example | None:
    for call, value in ((left, right), (right, left)):
        match call:
            case ast.Call(func=ast.Name(id=wrapper), args=[ast.Call() as inner], keywords=[]) if wrapper in _ORDERINGS:
                bare: ast.expr = inner
            case _:
                bare = call
        match bare:
            case ast.Call(func=ast.Name(id=name)) if name in signatures:
                arguments = _arguments(bare, signatures[name])
                expected = _literal(value)
                if arguments is not None and expected is not _NO_LITERAL:
                    return Example(test, name, arguments, expected)
    return None


def _arguments(call: ast.Call, parameters: tuple[str, ...]) -> tuple[tuple[str, object], ...] | None:
    named = list(zip(parameters, call.args, strict=False))
    named += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
    values = tuple((name, _literal(node)) for name, node in named)
    whole = len(call.args) <= len(parameters) and all(name for name, _ in values)
    return values if whole and all(value is not _NO_LITERAL for _, value in values) else None


_NO_LITERAL = object()


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _NO_LITERAL
