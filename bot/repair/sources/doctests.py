"""Examples in docstrings that run as tests: their file is source all the same, as long as they stay as they are."""

import ast
import doctest
from collections.abc import Iterator

from bot.repair.sources.languages import PYTHON
from bot.repair.sources.syntax import parse

Examples = tuple[tuple[str, str, str], ...]
"""Whose, what is run, and what is wanted."""

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_STEERING = (b"doctest", b"__test__", b"__doc__")


def is_example(node_id: str) -> bool:
    """Whether pytest names the examples of a module so: `src/shop/cart.py::shop.cart.total`."""
    path, _, name = node_id.partition("::")
    parts = path.removesuffix(PYTHON).removesuffix("/__init__").split("/")
    modules = (".".join(parts[at:]) for at in range(len(parts)))
    return path.endswith(PYTHON) and any(name == module or name.startswith(f"{module}.") for module in modules)


def altered(before: bytes, after: bytes | None) -> str | None:
    """What a change does to a file's examples, `None` where every one of them stays, in its order, where it was."""
    wanted, found = _examples(before), _examples(after) if after is not None else None
    if wanted is None or found is None:
        return "holds examples that are tests, and cannot be read with the change"
    rest = iter(found)
    if not all(example in rest for example in wanted):
        return "is changed in an example that is a test"
    if any((after or b"").count(word) > before.count(word) for word in _STEERING):
        return "steers how its examples are run"
    return None


def _examples(data: bytes) -> Examples | None:
    tree = parse(data)
    if tree is None:
        return None
    try:
        return tuple(_of(tree, ""))
    except (ValueError, RecursionError):
        return None


def _of(node: ast.AST, owner: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, _DOCUMENTED):
        for example in doctest.DocTestParser().get_examples(ast.get_docstring(node) or ""):
            yield owner, example.source, example.want
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _of(child, f"{owner}.{child.name}")
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _of(child, owner)
