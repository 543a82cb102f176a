"""Which files of a repository bear on the failing tests, found by their imports; bounded, and read through the port."""

from collections.abc import Collection, Iterator, Sequence

from bot.repair.imports import Modules
from bot.repair.languages import imported as imported_elsewhere
from bot.repair.ports import Workspace
from bot.repair.protection import BY_NAME, Protection
from bot.repair.types import Base, SourceFile
from sandbox.spec import TestResult

MAX_FILES = 40
MAX_BYTES = 200_000
HOPS = 3

Sources = dict[str, SourceFile]


def file_of(node_id: str) -> str:
    """The file of a node id."""
    return node_id.partition("::")[0]


def gather(
    workspace: Workspace,
    base: Base,
    known: Sequence[str],
    failing: Sequence[TestResult],
    protection: Protection = BY_NAME,
) -> Sources:
    """The failing tests' files, those of their frames, and what these import, nearest first.

    `known` are the tree's paths, `protection` says which of them are sources. At most 40 files and 200 KB, in at most
    5 reads; where no import leads to a source file, all sources in order.
    """
    modules = Modules.of(known)
    near = [file_of(result.node_id) for result in failing]
    near += [frame.path for result in failing for frame in reversed(result.frames)]
    present = frozenset(known)
    wanted = [path for path in dict.fromkeys([*near, *_conftests(near)]) if path in present]
    sources: Sources = {}
    for _ in range(HOPS + 1):
        fresh = _read(workspace, base, wanted, sources)
        imported = [path for file in fresh for path in _imported(modules, file, known) if path not in sources]
        wanted = list(dict.fromkeys(imported))
        if not wanted:
            break
    if not any(protection.is_source(path) for path in sources):
        rest = [path for path in known if path not in sources and protection.is_source(path)]
        _read(workspace, base, rest, sources)
    return sources


def _imported(modules: Modules, file: SourceFile, known: Sequence[str]) -> Iterator[str]:
    yield from modules.imported(file)
    yield from imported_elsewhere(file.path, file.data, known)


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
