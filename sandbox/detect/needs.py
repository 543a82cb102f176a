"""What a tree asks for and gets nowhere here, whatever its language: services, submodules, large files."""

from collections.abc import Iterable, Iterator

from sandbox.detect import services as known
from sandbox.detect import work, workflows
from sandbox.spec import Tree

MAX_NAMED = 12
MAX_NAME = 60
MAX_SUBMODULES = 100
MAX_SENTENCES = 12

_POINTER = b"version https://git-lfs.github.com/spec/"


def read(tree: Tree, services: Iterable[tuple[str, str]] | None = None) -> tuple[str, ...]:
    """A sentence each; `services` are those that the tests' job starts, with their `file:line`, `None` any job's."""
    if services is None:
        services = dict(service for job in workflows.jobs(tree) for service in job.services).items()
    return (*_services(known.started(tree, services)), *_submodules(tree), *_large(tree))


def _services(started: tuple[tuple[str, str], ...]) -> Iterator[str]:
    if started:
        yield (
            f"{started[0][1]} starts services ({_listed([name for name, _ in started])}); there are none in the "
            "sandbox, and no network to reach any. Tests that need them fail or are skipped here."
        )


def _submodules(tree: Tree) -> Iterator[str]:
    if ".gitmodules" in tree:
        lines = tree[".gitmodules"].data[:8192].decode("utf-8", "replace").splitlines()
        paths = [line.partition("=")[2].strip() for line in lines if line.strip().startswith("path")][:MAX_SUBMODULES]
        empty = [path for path in paths if not _holds(tree, path)]
        if not paths:
            yield ".gitmodules:1 is there, but names no submodule that can be read; none is fetched."
        if empty:
            yield (
                f".gitmodules:1 names submodules ({_listed(empty)}); they are not fetched, so their directories are "
                "empty here."
            )


def _holds(tree: Tree, directory: str) -> bool:
    """Whether the tree has files there, as a checkout with its submodules does."""
    work.spend(len(tree) // 8)
    prefix = directory.rstrip("/") + "/"
    return any(path.startswith(prefix) for path in tree)


def _large(tree: Tree) -> Iterator[str]:
    paths = sorted(path for path, file in tree.items() if file.data.startswith(_POINTER))
    if paths:
        yield (
            f"{len(paths)} files are kept in Git LFS ({_listed(paths)}); they are not fetched, so tests see their "
            "pointers instead."
        )


def _listed(names: list[str]) -> str:
    shown = [name[:MAX_NAME] for name in names[:MAX_NAMED]]
    more = [f"and {len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return ", ".join([*shown, *more])
