"""Which files of a repository bear on the failing tests, found by their imports; bounded, and read through the port."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from pathspec import GitIgnoreSpec

from bot.repair.gate import PROTECTED
from bot.repair.ports import Workspace
from bot.repair.syntax import parse
from bot.repair.types import Base, SourceFile
from sandbox.spec import TestResult

MAX_FILES = 40
MAX_BYTES = 200_000
HOPS = 3
_PROTECTED = GitIgnoreSpec.from_lines(PROTECTED)

Sources = dict[str, SourceFile]


def is_source(path: str) -> bool:
    """Whether a path is Python that a fix may touch: no test, no test configuration."""
    return path.endswith(".py") and not _PROTECTED.match_file(path)


def file_of(node_id: str) -> str:
    """The file of a node id."""
    return node_id.partition("::")[0]


def gather(workspace: Workspace, base: Base, known: Sequence[str], failing: Sequence[TestResult]) -> Sources:
    """The failing tests' files, those of their frames, and what these import, nearest first.

    `known` are the tree's paths. At most 40 files and 200 KB, in at most 5 reads; where no import leads to a source
    file, all sources in order.
    """
    modules = _by_last_part(known)
    near = [file_of(result.node_id) for result in failing]
    near += [frame.path for result in failing for frame in reversed(result.frames)]
    present = frozenset(known)
    wanted = [path for path in dict.fromkeys([*near, *_conftests(near)]) if path in present]
    sources: Sources = {}
    for _ in range(HOPS + 1):
        fresh = _read(workspace, base, wanted, sources)
        imported = [path for file in fresh for path in _imported(file, modules) if path not in sources]
        wanted = list(dict.fromkeys(imported))
        if not wanted:
            break
    if not any(is_source(path) for path in sources):
        _read(workspace, base, [path for path in known if is_source(path) and path not in sources], sources)
    return sources


def _imported(file: SourceFile, modules: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The repository's files that a file imports, at any level of it."""
    tree = parse(file.data) if file.path.endswith(".py") else None
    for node in ast.walk(tree) if tree else ():
        for module in _modules(node, file.path):
            yield from _resolve(module, modules, file.path)


def _read(workspace: Workspace, base: Base, wanted: Sequence[str], sources: Sources) -> tuple[SourceFile, ...]:
    room = MAX_FILES - len(sources)
    if room <= 0 or not wanted:
        return ()
    fresh: list[SourceFile] = []
    left = MAX_BYTES - sum(len(file.data) for file in sources.values())
    for file in workspace.read(base, tuple(wanted[:room])):
        if len(file.data) <= left:
            left -= len(file.data)
            sources[file.path] = file
            fresh.append(file)
    return tuple(fresh)


def _conftests(paths: Collection[str]) -> Iterator[str]:
    for path in paths:
        parts = path.split("/")[:-1]
        yield from ("/".join([*parts[:depth], "conftest.py"]) for depth in range(len(parts), -1, -1))


def _modules(node: ast.AST, path: str) -> Iterator[str]:
    """Dotted names that an import statement may load, most specific first; relative ones made absolute by path."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        package = path.split("/")[: -node.level] if node.level else []
        origin = ".".join([*package, *([node.module] if node.module else [])])
        yield from (f"{origin}.{alias.name}".lstrip(".") for alias in node.names)
        if origin:
            yield origin


def _by_last_part(known: Sequence[str]) -> dict[str, list[str]]:
    """Python files by the dotted module name's last part, so that source roots need not be known."""
    ends: dict[str, list[str]] = {}
    for path in known:
        if path.endswith(".py"):
            module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            ends.setdefault(module.rpartition(".")[2], []).append(path)
    return ends


def _resolve(module: str, modules: Mapping[str, Sequence[str]], importer: str) -> Iterator[str]:
    """The file of a module: the one nearest to the root whose path ends like its name."""
    stem = module.replace(".", "/")
    hits = [
        path
        for path in modules.get(module.rpartition(".")[2], ())
        if f"/{path}".endswith((f"/{stem}.py", f"/{stem}/__init__.py")) and path != importer
    ]
    if hits:
        yield min(hits, key=lambda path: (path.count("/"), path))
