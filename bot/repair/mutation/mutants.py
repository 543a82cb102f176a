"""What mutation operators work on: a function's code by UTF-8 byte offsets, and one small change to it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from bot.repair.sources.syntax import FunctionNode, parse, start_line

_SIMPLE = (ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set)


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of the bytes [start, end), with the operator that made it and what it does, in words."""

    start: int
    end: int
    replacement: str
    operator: str
    what: str
    line: int


class Scope:
    """A function, or the statements of a module outside of functions, within its file's text."""

    def __init__(self, text: str, node: FunctionNode | ast.Module) -> None:
        """Keep the text as UTF-8, since the tree counts its columns in these bytes."""
        self.node = node
        self.data = text.encode("utf-8", "surrogatepass")
        self._starts = [0]
        for line in self.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Where a node begins."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Where a node ends."""
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def source(self, node: ast.expr | ast.stmt) -> str:
        """A node as it is written."""
        return self.between(self.start(node), self.end(node))

    def between(self, start: int, end: int) -> str:
        """The text of the bytes [start, end)."""
        return self.data[start:end].decode("utf-8", "surrogatepass")

    def operand(self, node: ast.expr) -> str:
        """A node as it is written, in parentheses unless it binds tighter than any operator."""
        return self.source(node) if isinstance(node, _SIMPLE) else f"({self.source(node)})"

    def replace(self, node: ast.expr | ast.stmt, new: str, operator: str, what: str = "") -> Change:
        """Write something else in a node's place."""
        words = what or f"{_short(new)} instead of {_short(self.source(node))}"
        return Change(self.start(node), self.end(node), new, operator, words, node.lineno)

    def mutated(self, change: Change) -> str:
        """The whole file with one change."""
        return self._changed(change, 0, len(self.data))

    def fragment(self, change: Change | None) -> str:
        """The function alone, with one change or none, such that it parses on its own whatever its depth."""
        if isinstance(self.node, ast.Module):
            return self._changed(change, 0, len(self.data))
        start = self._starts[start_line(self.node) - 1]
        return ("if 1:\n" if self.node.col_offset else "") + self._changed(change, start, self.end(self.node))

    @cached_property
    def unchanged(self) -> str:
        """What the fragment means as it stands."""
        return meaning(self.fragment(None))

    def _changed(self, change: Change | None, start: int, end: int) -> str:
        if change is None:
            return self.between(start, end)
        return self.between(start, change.start) + change.replacement + self.between(change.end, end)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The function's parameters, `self` and `cls` left out."""
        if isinstance(self.node, ast.Module):
            return ()
        arguments = self.node.args
        named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return tuple(argument.arg for argument in named if argument.arg not in {"self", "cls"})

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters, then the local variables in order of appearance."""
        stored = (node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        local = () if isinstance(self.node, ast.Module) else tuple(stored)
        return tuple(dict.fromkeys((*self.parameters, *local)))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """What may be changed: no nested function, annotation, decorator, import, docstring or f-string.

        Nothing in a function that is nested too deep to be walked.
        """
        try:
            return tuple(_walk(self.node))
        except RecursionError:
            return ()


def meaning(source: str) -> str:
    """The source's tree as text; empty for what does not parse, or is nested too deep to be written down."""
    tree = parse(source)
    try:
        return ast.dump(tree) if tree else ""
    except RecursionError:
        return ""


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_comment", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_alone(child):
                yield from _walk(child)


def _is_left_alone(node: ast.AST) -> bool:
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    fixed = ast.FunctionDef | ast.AsyncFunctionDef | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert
    return words or isinstance(node, fixed)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:37]}..."  # noqa: PLR2004 (a phrase that fits on one line)
