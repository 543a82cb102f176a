"""Names that a Python module uses and nothing defines: the cheapest fault to find before a run is spent."""

import ast
import builtins
import symtable
from collections.abc import Iterator

from bot.repair.sources.syntax import parse

_MODULE = frozenset({
    "__file__", "__name__", "__doc__", "__path__", "__spec__", "__loader__", "__package__", "__builtins__",
    "__annotations__", "__dict__", "__cached__", "__debug__", "__module__", "__qualname__", "__class__",
    "__conditional_annotations__", "__classdict__",
})  # fmt: skip
_ELSEWHERE = frozenset({"WindowsError", "reveal_type", "reveal_locals", "PythonFinalizationError", "_"})
"""Builtins of other platforms and versions, of checkers, and what `gettext` installs."""
_KNOWN = _MODULE | _ELSEWHERE | frozenset(dir(builtins))
MAX_WORK = 1_000_000
"""Names times inner scopes: the library compares them all."""
_DYNAMIC = ("globals(", "exec(", "NameError", "__getattr__", "setattr(builtins", "vars(")


def undefined(text: str) -> frozenset[str]:
    """The names that are read somewhere in a module and bound nowhere in it; empty where that cannot be told.

    A star import, or code that makes or asks for names at run time, may define any of them.
    """
    tree = parse(text)
    if tree is None or any(sign in text for sign in _DYNAMIC) or _has_star(tree):
        return frozenset()
    return free(text)


def free(text: str) -> frozenset[str]:
    """The names that a piece of Python reads and does not bind, builtins aside.

    Empty for what does not parse, and for a file of more than about a thousand functions.
    """
    tree = parse(text)
    if tree is None:
        return frozenset()
    try:
        bare = _Bare(everywhere=_are_never_evaluated(tree))
        plain = bare.visit(tree)
        table = symtable.symtable(ast.unparse(plain) if bare.changed else text, "<module>", "exec")
        tables = list(_all(table))
        if sum(len(one.get_children()) * len(one.get_identifiers()) for one in tables) > MAX_WORK:
            return frozenset()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    bound.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_namespace())
    bound.update(
        symbol.get_name()
        for inner in tables
        for symbol in inner.get_symbols()
        if symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported())
    )
    return frozenset(_read(table, tables)) - bound - _KNOWN


def _read(module: symtable.SymbolTable, tables: list[symtable.SymbolTable]) -> Iterator[str]:
    """Names that are looked up among the module's: its own, and the global ones of what is inside of it."""
    for table in tables:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table is module or symbol.is_global()):
                yield symbol.get_name()


def _all(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _all(child)


def _has_star(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree))


def _are_never_evaluated(tree: ast.Module) -> bool:
    """Whether annotations are only text to this module (PEP 563)."""
    return any(
        isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.names[0].name == "annotations"
        for node in tree.body
    )


class _Bare(ast.NodeTransformer):
    """Takes annotations away that are not evaluated: those of variables in functions, or all of them."""

    def __init__(self, *, everywhere: bool) -> None:
        self.everywhere = everywhere
        self.depth = 0
        self.changed = False

    def visit(self, node: ast.AST) -> ast.AST:
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if self.everywhere and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            node.returns, self.changed = None, True
        if self.everywhere and isinstance(node, ast.arg) and node.annotation:
            node.annotation, self.changed = None, True
        if isinstance(node, ast.AnnAssign) and (self.everywhere or self.depth):
            node.annotation, self.changed = ast.Constant(""), True
        self.depth += inside
        self.generic_visit(node)
        self.depth -= inside
        return node
