"""Which files hold the tests that a task is about, and what they contain."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from bot.repair.integrity.expectations import Expectations, expectations
from bot.repair.ports import Workspace
from bot.repair.types import SourceFile, Task

MAX_FILES = 50
MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Suites:
    """The files of a task's targets: node id's file part → path in the tree, path → content; `known` what they say."""

    paths: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, bytes] = field(default_factory=dict)
    known: Expectations = field(default_factory=Expectations)

    @classmethod
    def of(cls, targets: Collection[str], paths: Mapping[str, str], sources: Mapping[str, bytes]) -> "Suites":
        """Read what the targets' files say of them."""
        files = tuple(SourceFile(path, data) for path, data in sources.items())
        return cls(paths, sources, expectations(files, targets))

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The files themselves."""
        return tuple(SourceFile(path, data) for path, data in self.sources.items())


NO_SUITES = Suites()


def suites(workspace: Workspace, task: Task) -> Suites:
    """The test files of the targets, those that a task adds over those of its base tree. Raises `WorkspaceError`."""
    added = {change.path: change.content for change in task.additions.changes if change.content is not None}
    known = (*workspace.paths(task.base), *added)
    named = dict.fromkeys(_file(node_id) for node_id in task.targets)
    paths = {name: path for name in list(named)[:MAX_FILES] if (path := _path(name, known)) is not None}
    wanted = tuple(path for path in dict.fromkeys(paths.values()) if path not in added)
    read = {file.path: file.data for file in workspace.read(task.base, wanted)} if wanted else {}
    found = {path: data for path, data in {**read, **added}.items() if len(data) <= MAX_BYTES}
    return Suites.of(
        task.targets, paths, {path: found[path] for path in dict.fromkeys(paths.values()) if path in found}
    )


def _file(node_id: str) -> str:
    return node_id.partition("::")[0]


def _path(name: str, known: Collection[str]) -> str | None:
    """Node ids are relative to the runner's own root: the path itself, or the only one that ends like it."""
    if name in known:
        return name
    found = _first(path for path in known if path.endswith(f"/{name}"))
    return found[0] if len(found) == 1 else None


def _first(paths: Iterable[str]) -> list[str]:
    return sorted(set(paths))[:2]
