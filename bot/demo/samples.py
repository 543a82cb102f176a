"""The demo's repositories: one healthy package and three ways in which it is red, read from package data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable

OWNER = "riverside"


@dataclass(frozen=True, slots=True)
class Sample:
    """One repository and what makes it red; texts that do not apply are empty.

    `tree` is the first commit. `change` is what a second commit with `message` puts over it, and `log` what the job
    of that commit printed; `title` and `body` are an issue's.
    """

    repository: str
    tree: Mapping[str, bytes]
    change: Mapping[str, bytes]
    message: str = ""
    log: str = ""
    title: str = ""
    body: str = ""

    @property
    def broken(self) -> dict[str, bytes]:
        """The tree that is red."""
        return {**self.tree, **self.change}


def from_issue() -> Sample:
    """An issue about a bug that two tests show, and whose nearest plausible patch breaks a third."""
    title, body = _issue("issue")
    return Sample(f"{OWNER}/roomwise", {**_base(), **_overlay("issue")}, {}, title=title, body=body)


def left_to_label() -> Sample:
    """Another issue of the same repository, about the same bug: for whoever wants to put a label on one."""
    title, body = _issue("second")
    return replace(from_issue(), title=title, body=body)


def from_check() -> Sample:
    """A commit on the default branch that turns its check suite red."""
    return Sample(
        f"{OWNER}/roomwise-ci",
        _base(),
        _overlay("red_check"),
        message=_text("red_check", "commit.txt"),
        log=_text("red_check", "job.log"),
    )


def without_fix() -> Sample:
    """An issue with failing tests that need new code: no single mutation fixes it."""
    title, body = _issue("no_fix")
    return Sample(f"{OWNER}/roomwise-monthly", {**_base(), **_overlay("no_fix")}, {}, title=title, body=body)


def _root() -> Traversable:
    return files("bot.demo") / "sample"


def _base() -> dict[str, bytes]:
    return _files(_root() / "base")


def _overlay(name: str) -> dict[str, bytes]:
    """The directories of an overlay; the files beside them describe it."""
    root = _root() / name
    return {
        f"{part.name}/{path}": content
        for part in root.iterdir()
        if part.is_dir()
        for path, content in _files(part).items()
    }


def _files(root: Traversable, prefix: str = "") -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in sorted(root.iterdir(), key=lambda entry: entry.name):
        if entry.is_file():
            found[prefix + entry.name] = entry.read_bytes()
        elif not entry.name.startswith((".", "__pycache__")):
            found |= _files(entry, f"{prefix}{entry.name}/")
    return found


def _text(name: str, file: str) -> str:
    return (_root() / name / file).read_text(encoding="utf-8")


def _issue(name: str) -> tuple[str, str]:
    title, _, body = _text(name, "issue.md").partition("\n")
    return title.removeprefix("# "), body.strip() + "\n"
