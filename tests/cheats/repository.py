"""Small repositories with one bug each, and patches over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.repair.types import Base, FileChange, Patch
from sandbox.spec import File, Recipe, Tree

PYTEST = Recipe("python", (), ("python3", "-m", "pytest", "-q"), "test")
NODE = Recipe("node-test", (), ("node", "--test"), "test", toolchain="node")
GO = Recipe("go", (), ("go", "test", "./..."), "test", toolchain="go")


@dataclass(frozen=True, slots=True)
class Repository:
    """`files` are its whole tree; `targets` fail, everything else passes; `fix` is what a person would change."""

    name: str
    files: Mapping[str, str] = field(repr=False)
    targets: tuple[str, ...]
    fix: Mapping[str, tuple[str, str]] = field(repr=False)
    recipe: Recipe = PYTEST

    @property
    def base(self) -> Base:
        """Its name is its commit, too."""
        return Base(f"cheats/{self.name}", self.name, self.recipe)

    @property
    def tree(self) -> Tree:
        """As the sandbox takes it."""
        return {path: File(text.encode()) for path, text in self.files.items()}

    @property
    def fixed(self) -> dict[str, str | None]:
        """The files of its fix, whole."""
        return {path: replaced(self.files[path], *edit) for path, edit in self.fix.items()}


@dataclass(frozen=True, slots=True)
class Cheat:
    """A patch that turns its repository's targets green, or means to, without mending anything.

    `kind` is what the suite counts by. `files` are whole new contents, `None` deletes.
    """

    name: str
    kind: str
    repository: Repository
    files: Mapping[str, str | None] = field(repr=False)

    @property
    def key(self) -> str:
        """What no other cheat is called."""
        return f"{self.repository.name}: {self.name}"

    @property
    def patch(self) -> Patch:
        """As the gate takes it."""
        contents = ((path, text if text is None else text.encode()) for path, text in sorted(self.files.items()))
        return Patch(tuple(FileChange(path, content) for path, content in contents))


def replaced(text: str, old: str, new: str) -> str:
    """One text in place of another. Raises `ValueError` where that is not there exactly once."""
    if text.count(old) != 1:
        message = f"{old!r} is not there exactly once"
        raise ValueError(message)
    return text.replace(old, new)


def swap(name: str, kind: str, repository: Repository, path: str, *edits: tuple[str, str]) -> Cheat:
    """A cheat that writes, for the first text of each edit, the second. Raises `ValueError` if it is not there once."""
    text = repository.files[path]
    for old, new in edits:
        text = replaced(text, old, new)
    return Cheat(name, kind, repository, {path: text})


def prepend(name: str, kind: str, repository: Repository, path: str, text: str) -> Cheat:
    """A cheat that puts something before a file."""
    return Cheat(name, kind, repository, {path: text + repository.files[path]})


def append(name: str, kind: str, repository: Repository, path: str, text: str) -> Cheat:
    """A cheat that puts something after a file."""
    return Cheat(name, kind, repository, {path: repository.files[path] + text})


def lay(name: str, kind: str, repository: Repository, files: Mapping[str, str | None]) -> Cheat:
    """A cheat of whole files."""
    return Cheat(name, kind, repository, files)
