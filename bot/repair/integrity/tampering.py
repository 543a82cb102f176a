"""Signs that a patch deals with its judge and not with the fault, read off what it adds to the sources.

Cheap and static: a file that bears a sign already stays editable, and what is not in the table is not looked for.
"""

import ast
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.repair.integrity import text_signs
from bot.repair.sources.syntax import parse
from bot.repair.types import FileChange

SIGNS: Mapping[str, str] = {
    "pytest": "refers to the test runner (pytest)",
    "_pytest": "refers to the test runner (_pytest)",
    "pluggy": "refers to the test runner (pluggy)",
    "unittest": "refers to the test runner (unittest)",
    "PYTEST_CURRENT_TEST": "asks whether a test is running (PYTEST_CURRENT_TEST)",
    "sys.modules": "reaches into sys.modules",
    "os._exit": "ends the process unseen (os._exit)",
    "gc.get_objects": "searches the interpreter's objects (gc.get_objects)",
    "gc.get_referrers": "searches the interpreter's objects (gc.get_referrers)",
    "inspect.stack": "looks at its callers (inspect.stack)",
    "inspect.currentframe": "looks at its callers (inspect.currentframe)",
    "sys._getframe": "looks at its callers (sys._getframe)",
}
"""Dotted name → what its use says; a name stands for everything below it."""
_EQUALITY = "defines an equality that does not compare (__eq__ returns a constant)"
_HOOK = "defines a hook of the test runner (pytest_…)"
_EQUALITIES = frozenset({"__eq__", "__ne__"})
_RUNNER = frozenset(
    {
        "_pytest", "argcomplete", "atomicwrites", "attr", "attrs", "colorama", "coverage", "exceptiongroup", "execnet",
        "importlib_metadata", "iniconfig", "more_itertools", "packaging", "pluggy", "py", "pygments", "pytest",
        "pytest_asyncio", "pytest_cov", "toml", "tomli", "typing_extensions", "wcwidth", "xdist", "zipp",
    }
)  # fmt: skip
SHADOWED = sys.stdlib_module_names | _RUNNER
"""The standard library, and what pytest 6 to 9 and its commonest plugins are made of. The guest's launcher finds these
elsewhere than in the tree in any case; more names would refuse true fixes."""


_IMPORTED = (".py", ".pyc", ".so", ".pyd")


def added_sign(change: FileChange, before: bytes | None) -> str | None:
    """What a change adds that only tampering needs, `None` when it adds nothing of the kind."""
    if change.content is None:
        return None
    old = set(_of_file(change.path, before)) if before else set()
    return next((f"now {sign}" for sign in _of_file(change.path, change.content) if sign not in old), None)


def _of_file(path: str, source: bytes) -> Iterator[str]:
    return _signs(source) if path.endswith(".py") else text_signs.signs(path, source)


def shadows(path: str, known: Collection[str]) -> str | None:
    """The module that a new file would be imported in place of, at the root or in a directory that is no package."""
    if path in known or not path.endswith(_IMPORTED):
        return None
    *folders, file = path.split("/")
    parts = [*folders, file.partition(".")[0]]
    for depth, name in enumerate(parts):
        if name in SHADOWED and _is_fresh_root(parts[:depth], name, known):
            return name
    return None


def _is_fresh_root(folder: Sequence[str], name: str, known: Collection[str]) -> bool:
    """Whether the name is new in a directory that may be on the import path: one that exists and is no package."""
    above = "".join(f"{part}/" for part in folder)
    if above and (f"{above}__init__.py" in known or not any(path.startswith(above) for path in known)):
        return False
    return f"{above}{name}.py" not in known and not any(path.startswith(f"{above}{name}/") for path in known)


def _signs(source: bytes) -> Iterator[str]:
    tree = parse(source)
    if tree is None:
        return
    names = _imported(tree)
    for node in ast.walk(tree):
        for name in _references(node, names):
            yield from (said for sign, said in SIGNS.items() if name == sign or name.startswith(f"{sign}."))
        if _is_constant_equality(node):
            yield _EQUALITY
        if _is_hook(node):
            yield _HOOK


def _imported(tree: ast.Module) -> dict[str, str]:
    """Local name → dotted name, so that `import sys as s` hides nothing."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _references(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The dotted names that a node stands for: imports, `sys.modules`, `getattr(sys, "modules")`, plain strings."""
    match node:
        case ast.Import():
            yield from (alias.name for alias in node.names)
        case ast.ImportFrom(level=0):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        case (
            ast.Attribute(value=ast.Name(id=owner), attr=name)
            | ast.Attribute(value=ast.Attribute(attr=owner), attr=name)
        ):
            yield f"{names.get(owner, owner)}.{name}"
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=owner), ast.Constant(value=str(name)), *_]):
            yield f"{names.get(owner, owner)}.{name}"
        case ast.Constant(value=str(text)) if text.startswith("PYTEST_"):
            yield "PYTEST_CURRENT_TEST"
        case ast.Constant(value=str(text)) if text.replace(".", "").isidentifier():
            yield text


def _is_hook(node: ast.AST) -> bool:
    """Whether pytest would find this in a plugin, which any module of the tree may be."""
    match node:
        case (
            ast.FunctionDef(name=name)
            | ast.AsyncFunctionDef(name=name)
            | ast.Name(id=name, ctx=ast.Store())
            | ast.alias(asname=str(name))
        ):
            return name.startswith("pytest_")
        case _:
            return False


def _is_constant_equality(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name=name) if name in _EQUALITIES:
            returned = [part.value for part in ast.walk(node) if isinstance(part, ast.Return)]
        case ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)], value=ast.Lambda(body=body)) if (
            name in _EQUALITIES
        ):
            returned = [body]
        case _:
            return False
    values = {value.value if isinstance(value, ast.Constant) else None for value in returned}
    return len(values) == 1 and values <= {True, False}
