"""Which files of Python a build reads, and which it runs, as its configuration says.

A file that is only read, as for a version, decides by itself; one that is run decides with whatever it imports.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from posixpath import join, normpath
from typing import NamedTuple

from sandbox.detect import work
from sandbox.detect.python import pyproject
from sandbox.detect.python.legacy import ini
from sandbox.detect.reading import text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

_TABLES: tuple[tuple[str, ...], ...] = (
    ("build-system",),
    ("project",),
    ("tool", "setuptools"),
    ("tool", "flit"),
    ("tool", "pdm", "version"),
    ("tool", "pdm", "build"),
    ("tool", "scikit-build"),
)
_OF_HATCH = ("version", "build", "metadata")
_RUN = frozenset({"hooks", "script", "setup-script", "custom-hook"})
_WORDS = re.compile(r"[\s,;]+")
_ATTRIBUTE = re.compile(r"\s*attr\s*:\s*([\w.]{1,200})\s*")
_MAX_DEPTH = 12


class Files(NamedTuple):
    """Paths of the tree."""

    read: tuple[str, ...]
    run: tuple[str, ...]


def files(tree: Tree) -> Files:
    """What pyproject.toml, hatch.toml and setup.cfg say that a build takes."""
    found = [*_configured(tree), *_attributes(tree), *_of_flit(tree)]
    run = {path for path, runs in found if runs}
    return Files(tuple(sorted({path for path, _ in found} - run)), tuple(sorted(run)))


def _configured(tree: Tree) -> Iterator[tuple[str, bool]]:
    document = pyproject.load(tree)
    for keys in _TABLES:
        yield from _paths(tree, pyproject.table(document, *keys), keys)
    yield from _paths(tree, pyproject.table(document, "tool", "poetry").get("build"), ("script",))
    for key in _OF_HATCH:
        table, _, _ = pyproject.hatch(tree, key)
        executed = ("hooks",) if key == "version" and table.get("source") == "code" else ()
        yield from _paths(tree, table, executed)
    for section, options in ini(tree, "setup.cfg").items():
        if section == "metadata" or section.startswith("options"):
            yield from _paths(tree, dict(options), ())


def _paths(tree: Tree, value: object, keys: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """Every file of Python that a value names, and whether the key that it stands at says that it is run."""
    if len(keys) > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _paths(tree, one, (*keys, str(key)))
    elif isinstance(value, list):
        for one in value:
            yield from _paths(tree, one, keys)
    elif isinstance(value, str):
        for word in _WORDS.split(value):
            path = word.removeprefix("./")
            if path.endswith(".py") and path in tree:
                yield path, not _RUN.isdisjoint(keys)


def _attributes(tree: Tree) -> Iterator[tuple[str, bool]]:
    """The files of setuptools' `attr`, which is read where it is a literal, else imported."""
    setuptools = pyproject.table(pyproject.load(tree), "tool", "setuptools")
    dynamic = pyproject.table(setuptools, "dynamic")
    named = [value.get("attr") for value in dynamic.values() if isinstance(value, Mapping)]
    options = ini(tree, "setup.cfg")
    values = options.get("metadata", {}).values()
    named += [match[1] for value in values if (match := _ATTRIBUTE.fullmatch(str(value)))]
    homes = ["", "src", *pyproject.table(setuptools, "package-dir").values()]
    for attribute in named:
        if isinstance(attribute, str):
            module, _, name = attribute.rpartition(".")
            yield from _module(tree, homes, module, name)


def _of_flit(tree: Tree) -> Iterator[tuple[str, bool]]:
    document = pyproject.load(tree)
    backend = pyproject.table(document, "build-system").get("build-backend")
    if not str(backend).startswith("flit"):
        return
    named = (
        pyproject.table(document, "tool", "flit", "module").get("name"),
        pyproject.table(document, "tool", "flit", "metadata").get("module"),
        pyproject.table(document, "project").get("name"),
    )
    name = next((one for one in named if isinstance(one, str)), "")
    dynamic = pyproject.table(document, "project").get("dynamic")
    if "project" not in document or (isinstance(dynamic, list) and dynamic):
        yield from _module(tree, ["", "src"], name.replace("-", "_"), "__version__")


def _module(tree: Tree, homes: list[object], module: str, name: str) -> Iterator[tuple[str, bool]]:
    place = module.replace(".", "/")
    for home in homes if place else ():
        for ending in (".py", "/__init__.py"):
            path = normpath(join(str(home), place + ending))
            if path in tree:
                yield path, not _is_literal(tree, path, name)
                return


def _is_literal(tree: Tree, path: str, name: str) -> bool:
    try:
        body = work.once(tree, ("module", path), lambda: ast.parse(text(tree, path))).body
    except (DetectionError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    work.spend(len(body))
    for node in body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            try:
                ast.literal_eval(getattr(node, "value", None) or "")
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return False
            return True
    return False
