"""Which files of a repository bear on the failing tests: what they were seen to call, import, or name.

All of it is bounded, and read through the port.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.repair.localisation import repomap
from bot.repair.localisation.reach import named
from bot.repair.ports import Workspace
from bot.repair.protection import BY_NAME, Protection
from bot.repair.sources import treemap
from bot.repair.sources.grammar import language_of
from bot.repair.sources.imports import Modules
from bot.repair.sources.languages import imported as imported_elsewhere
from bot.repair.sources.outline import Outline
from bot.repair.types import Base, SourceFile
from sandbox.spec import TestResult

MAX_FILES = 40
MAX_BYTES = 200_000
HOPS = 3
MAX_CALLED = 20
MAX_MAPPED = 100
"""Files that are read for the map only, unless they turn out to matter."""

MAX_FOUND = 8
"""Of those, what is kept."""

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
    called: Sequence[str] = (),
) -> Sources:
    """The failing tests' files, those of their frames, those that they `called`, and what these import, nearest first.

    `known` are the tree's paths, `protection` says which of them are sources. Where no call was seen, also a few files
    that a map of the names which the tests use leads to. At most 40 files and 200 KB, in at most 6 reads; where
    nothing leads to a source file, all sources in order.
    """
    modules = Modules.of(known)
    near = [file_of(result.node_id) for result in failing]
    near += [frame.path for result in failing for frame in reversed(result.frames)]
    near += called[:MAX_CALLED]
    present = frozenset(known)
    wanted = [path for path in dict.fromkeys([*near, *_conftests(near)]) if path in present]
    sources: Sources = {}
    for _ in range(HOPS + 1):
        fresh = _read(workspace, base, wanted, sources)
        imported = [path for file in fresh for path in _imported(modules, file, known) if path not in sources]
        wanted = list(dict.fromkeys(imported))
        if not wanted:
            break
    unread = [path for path in known if path not in sources and protection.is_source(path)]
    if not called and len(sources) < MAX_FILES:
        further = _close([path for path in unread if language_of(path)], near)[:MAX_MAPPED]
        _keep(_led_to(workspace.read(base, further) if further else (), failing, sources), sources)
    if not any(protection.is_source(path) for path in sources):
        _read(workspace, base, unread, sources)
    return sources


def _close(paths: Sequence[str], near: Sequence[str]) -> tuple[str, ...]:
    """Files of whose name a test's file name tells first, then those of the same directories."""
    names = " ".join(path.rpartition("/")[2] for path in near)
    folders = {path.rpartition("/")[0] for path in near}

    def key(path: str) -> tuple[bool, bool, int, str]:
        folder, _, name = path.rpartition("/")
        return name.partition(".")[0] not in names, folder not in folders, path.count("/"), path

    return tuple(sorted(paths, key=key))


def _led_to(further: Sequence[SourceFile], failing: Sequence[TestResult], sources: Sources) -> list[SourceFile]:
    """Those of further files to which the names that failing tests use lead, by rank."""
    budget = treemap.Budget()
    files = {file.path: file for file in (*sources.values(), *further)}
    found = ((path, treemap.outline(path, file.data, budget)) for path, file in files.items())
    outlines = {path: outline for path, outline in found if outline is not None}
    defined = {name for path in sources if path in outlines for name in outlines[path].names}
    used = (name for result in failing for name in _used(outlines, result.node_id))
    # A name that is defined in what was read already leads nowhere else.
    wanted = [name for name in used if name not in defined]
    ranked = [path for path, _ in repomap.rank(outlines, wanted) if path not in sources]
    return [files[path] for path in ranked[:MAX_FOUND]]


def _used(outlines: Mapping[str, Outline], node_id: str) -> tuple[str, ...]:
    """The names that a test uses; those of its whole file where it is not found there."""
    path, names = named(node_id)
    outline = outlines.get(path)
    if outline is None:
        return ()
    own = [one for one in outline.definitions if one.qualified_name in names]
    return tuple(name for one in own or outline.definitions for name in one.uses) or outline.uses


def _imported(modules: Modules, file: SourceFile, known: Sequence[str]) -> Iterator[str]:
    yield from modules.imported(file)
    yield from imported_elsewhere(file.path, file.data, known)


def _read(workspace: Workspace, base: Base, wanted: Sequence[str], sources: Sources) -> tuple[SourceFile, ...]:
    room = MAX_FILES - len(sources)
    if room <= 0 or not wanted:
        return ()
    return _keep(workspace.read(base, tuple(wanted[:room])), sources)


def _keep(files: Sequence[SourceFile], sources: Sources) -> tuple[SourceFile, ...]:
    """Those for which there is room, which are in `sources` now."""
    left = MAX_BYTES - sum(len(file.data) for file in sources.values())
    kept: list[SourceFile] = []
    for file in files[: MAX_FILES - len(sources)]:
        if len(file.data) <= left:
            left -= len(file.data)
            sources[file.path] = file
            kept.append(file)
    return tuple(kept)


def _conftests(paths: Collection[str]) -> Iterator[str]:
    for path in paths:
        parts = path.split("/")[:-1]
        yield from ("/".join([*parts[:depth], "conftest.py"]) for depth in range(len(parts), -1, -1))
