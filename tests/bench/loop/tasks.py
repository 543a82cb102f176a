"""What is repaired: trees made at run time from a checkout that somebody else keeps. Nothing of it is committed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.subjects import InvalidMeasurementError

from bot.repair.types import Baseline
from sandbox.spec import File, Given, Tree

MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class BenchTask:
    """One repository with a fault.

    `tree` is what an arm sees. `full` are the files that are laid over it, and over its patch, for the judgement: the
    full tests. Of these, all that are named in `sound` must pass, or else every one. `fixed` is what a person made of
    the faulty files, where that is known. Without `targets` every test that is red is one.
    """

    name: str
    repository: str
    tree: Tree = field(repr=False)
    full: Tree = field(repr=False)
    title: str
    text: str = ""
    targets: tuple[str, ...] = ()
    given: Given = field(default_factory=Given)
    sound: frozenset[str] = field(default=frozenset(), repr=False)
    fixed: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def commit(self) -> str:
        """A name for the tree, as a commit's."""
        return digest_of(self.tree)

    @property
    def digest(self) -> str:
        """Changes with whatever a result depends on."""
        about = repr((self.repository, self.title, self.text, self.targets, self.given, sorted(self.sound)))
        parts = (self.commit, digest_of(self.full), about)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def choose(self, baseline: Baseline) -> tuple[str, ...]:
        """The red tests that the task is about."""
        failing = baseline.failing_ids
        return tuple(node_id for node_id in failing if node_id in self.targets) if self.targets else failing


def digest_of(tree: Tree) -> str:
    """The same for equal trees."""
    found = hashlib.sha256()
    for path, file in sorted(tree.items()):
        found.update(f"{path}\0{file.mode:o}\0{len(file.data)}\0".encode())
        found.update(file.data)
    return found.hexdigest()


def read_tree(directory: Path) -> dict[str, File]:
    """Every regular file below a directory, `.git` and caches left out. Raises `InvalidMeasurementError`."""
    files: dict[str, File] = {}
    size = 0
    for path in sorted(directory.rglob("*")):
        inside = path.relative_to(directory)
        if path.is_symlink() or not path.is_file() or {".git", "__pycache__"} & set(inside.parts):
            continue
        data = path.read_bytes()
        size += len(data)
        if size > MOST_BYTES:
            raise InvalidMeasurementError(f"{directory} holds more than {MOST_BYTES >> 20} MiB")
        files[inside.as_posix()] = File(data, 0o100755 if path.stat().st_mode & 0o111 else 0o100644)
    return files


def chosen(tasks: Sequence[BenchTask], wanted: str) -> tuple[BenchTask, ...]:
    """All, the first so many, or those that are named with commas between. Raises `InvalidMeasurementError`."""
    if not wanted:
        return tuple(tasks)
    if wanted.isdecimal():
        return tuple(tasks[: int(wanted)])
    by_name = {task.name: task for task in tasks}
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    if missing := [name for name in names if name not in by_name]:
        raise InvalidMeasurementError(f"The set has no task {', '.join(missing)}")
    return tuple(by_name[name] for name in names)
