"""Tests that decide whether a described module is right: of which kind they are, and how they get at the module.

They do not import the solution; `from solution import *` is put where it moves no line, if there is such a place.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import CollectionFailedError, SetUpError
from bot.repair.sources.syntax import FunctionNode, parse, start_line, syntax_error
from sandbox.spec import Recipe

IMPORT = "from solution import *"
TEST_FILE = "test_solution.py"
SCRIPT_FILE = "tests.py"
OWN_CLOSING_LINE = "regreen: every assertion held"
_MAX_DEPTH = 5
_COMPOUND = (
    FunctionNode, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match,
    ast.AsyncFor, ast.AsyncWith, ast.TryStar,
)  # fmt: skip


class Kind(StrEnum):
    """How the tests are run; the first two with pytest."""

    UNITTEST = "unittest"
    PYTEST = "pytest"
    SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class HiddenTests:
    """The tests as they are run: `source` with the import in it, in the file `path`."""

    kind: Kind
    path: str
    source: str
    recipe: Recipe


def read(source: str) -> HiddenTests:
    """Find out what kind of tests these are, and make them ready to run.

    Raises `CollectionFailedError` when they do not parse, `SetUpError` for a script whose verdict cannot be told.
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    tree = parse(source)
    if tree is None:
        raise CollectionFailedError(f"The tests do not parse: {syntax_error(source)}", "Correct the tests.")
    kind = kind_of(tree)
    if kind is Kind.SCRIPT:
        closing = _closing_line(tree)
        if closing is None:
            source, closing = f'{source.rstrip()}\nprint("{OWN_CLOSING_LINE}")\n', OWN_CLOSING_LINE
        recipe = Recipe("script", (), ("python3", SCRIPT_FILE), "a plain script", closing_line=closing)
        return HiddenTests(kind, SCRIPT_FILE, with_import(source), recipe)
    install = (("python3", "-m", "venv", "/env"), ("python", "-m", "pip", "install", "pytest"))
    recipe = Recipe("python", install, ("python", "-m", "pytest"), f"{kind} tests")
    return HiddenTests(kind, TEST_FILE, with_import(_without_runner(source, tree)), recipe)


def kind_of(tree: ast.Module) -> Kind:
    """Test cases are unittest; test functions are pytest, unless the module calls them itself or ends in a print."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if any(ast.unparse(base).endswith("TestCase") for node in classes for base in node.bases):
        return Kind.UNITTEST
    names = {node.name for node in tree.body if isinstance(node, FunctionNode)}
    calls = {_called(node) for node in tree.body}
    if calls & names or (tree.body and _printed(tree.body[-1]) is not None):
        return Kind.SCRIPT
    collected = any(name.startswith("test") for name in names) or any(node.name.startswith("Test") for node in classes)
    return Kind.PYTEST if collected else Kind.SCRIPT


def with_import(source: str) -> str:
    """The source with the import after its docstring and `__future__` imports; as it is when it has one."""
    tree = parse(source)
    if tree is None or _imports_solution(tree):
        return source
    lines = source.split("\n")
    head = [node for at, node in enumerate(tree.body) if _belongs_to_head(at, node)]
    rest = tree.body[len(head) :]
    first = rest[0] if rest else None
    if first is not None and first.col_offset == 0 and not isinstance(first, _COMPOUND):
        lines[first.lineno - 1] = f"{IMPORT}; {lines[first.lineno - 1]}"
    elif head:
        _append(lines, head[-1])
    else:
        _take_blank_line(lines, first)
    return "\n".join(lines)


def _belongs_to_head(at: int, node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return at == 0
        case ast.ImportFrom(module="__future__"):
            return True
    return False


def _append(lines: list[str], node: ast.stmt) -> None:
    """Put the import behind a statement, on its line; the columns of a syntax tree count bytes."""
    at = (node.end_lineno or node.lineno) - 1
    line, end = lines[at].encode(), node.end_col_offset or 0
    lines[at] = (line[:end] + f"; {IMPORT}".encode() + line[end:]).decode()


def _take_blank_line(lines: list[str], first: ast.stmt | None) -> None:
    """Use a blank line above the first statement; where there is none every line moves down by one."""
    until = len(lines)
    if isinstance(first, FunctionNode | ast.ClassDef):
        until = start_line(first) - 1
    elif first is not None:
        until = first.lineno - 1
    blank = next((at for at in range(until) if not lines[at].strip()), None)
    if blank is None:
        lines.insert(0, IMPORT)
    else:
        lines[blank] = IMPORT


def _imports_solution(tree: ast.Module) -> bool:
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == "solution")
        or (isinstance(node, ast.Import) and any(alias.name == "solution" for alias in node.names))
        for node in ast.walk(tree)
    )


def _without_runner(source: str, tree: ast.Module) -> str:
    """Leave out top-level calls of unittest.main() or pytest.main(): they would end the collection."""
    lines = source.split("\n")
    for node in tree.body:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="unittest" | "pytest"), attr="main"))):
                for at in range(node.lineno - 1, node.end_lineno or node.lineno):
                    lines[at] = "pass" if at == node.lineno - 1 else ""
    return "\n".join(lines)


def _closing_line(tree: ast.Module) -> str | None:
    """What the script prints last when it holds; `None` when it prints nothing at all."""
    local = {node.name: node.body for node in tree.body if isinstance(node, ast.FunctionDef)}
    found = set(_endings(tree.body, local, _MAX_DEPTH))
    if len(found) == 1:
        return found.pop()
    prints = any(isinstance(node, ast.Call) and ast.unparse(node.func) == "print" for node in ast.walk(tree))
    if not prints:
        return None
    raise SetUpError(
        "The script's own verdict cannot be told: it does not end in one print of a literal text",
        "Let the script raise when an assertion fails, and print a fixed line at its very end.",
    )


def _endings(body: Sequence[ast.stmt], local: dict[str, list[ast.stmt]], depth: int) -> Iterator[str]:
    """The literal texts that this block may print last."""
    if not body or not depth:
        return
    last = body[-1]
    printed, called = _printed(last), _called(last)
    if printed is not None:
        yield printed
    elif called in local:
        yield from _endings(local[called], local, depth - 1)
    elif isinstance(last, ast.If):
        yield from _endings(last.body, local, depth - 1)
        yield from _endings(last.orelse, local, depth - 1)


def _printed(node: ast.stmt) -> str | None:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[ast.Constant(value=str(text))], keywords=[])):
            return next((line for line in reversed(text.split("\n")) if line.strip()), None)
    return None


def _called(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name
    return ""
