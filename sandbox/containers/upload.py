"""A tree that was packed once, and what differs from it: only that is sent to a container that has the tree already."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sandbox.containers import protocol
from sandbox.containers.archive import END, is_plain, joined, member, members, pack
from sandbox.spec import File, Tree

MOUNT = "repo"


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A tree as the beginning of a tar, below /repo. Each is equal to itself only, so that it names its content."""

    tree: Tree = field(repr=False)
    chunks: tuple[bytes, ...] = field(repr=False)
    directories: frozenset[str] = field(repr=False)

    @classmethod
    def of(cls, tree: Tree) -> "Packed":
        """Pack a tree. Raises as `sandbox.containers.archive.pack` does."""
        pack({MOUNT: tree})
        return cls(tree, tuple(joined(members({MOUNT: tree}))), _directories(tree))


@dataclass(frozen=True, slots=True)
class Upload:
    """A whole tar, in the two parts in which it may be sent: iterating gives both."""

    base: Packed
    changed: Mapping[str, Tree] = field(repr=False)
    removed: tuple[PurePosixPath, ...] = ()

    def __iter__(self) -> Iterator[bytes]:
        """The tar."""
        yield from self.base.chunks
        yield from self.rest()

    def rest(self) -> Iterator[bytes]:
        """What follows the base."""
        yield from joined(members(self.changed))
        if self.removed:
            yield from member(protocol.REMOVED, File(protocol.removed(self.removed)))
        yield END


def upload(base: Packed, trees: Mapping[str, Tree]) -> "Upload | Iterator[bytes]":
    """The tar of these trees, over `base` where that can be: not where a file becomes a directory, or the reverse.

    Raises as `sandbox.containers.archive.pack` does.
    """
    tree = trees[MOUNT]
    others = {mount: other for mount, other in trees.items() if mount != MOUNT}
    changed = {path: file for path, file in tree.items() if base.tree.get(path) is not file}
    added = [path for path in changed if path not in base.tree]
    if any(path in base.directories or not is_plain(path) or _below_a_file(path, base.tree, tree) for path in added):
        return pack(trees)
    pack(others)
    return Upload(base, {MOUNT: changed, **others}, _gone(base, tree))


def _gone(base: Packed, tree: Tree) -> tuple[PurePosixPath, ...]:
    """What to remove, so that no directory is left that holds no file of `tree`."""
    missing = base.tree.keys() - tree.keys()
    if not missing:
        return ()
    kept = _directories(tree)
    tops = set()
    for path in missing:
        top = PurePosixPath(path)
        while len(top.parts) > 1 and str(top.parent) not in kept:
            top = top.parent
        tops.add(top)
    return tuple(sorted(PurePosixPath("/") / MOUNT / top for top in tops))


def _below_a_file(path: str, *trees: Tree) -> bool:
    return any(parent in tree for tree in trees for parent in _parents(path))


def _directories(tree: Tree) -> frozenset[str]:
    return frozenset(parent for path in tree for parent in _parents(path))


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
