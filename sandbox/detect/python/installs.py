"""What the commands of pip, uv, poetry, pdm and pipenv install, in terms of extras, groups, files and requirements."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import normpath

from sandbox.detect.python.declared import is_name, is_requirement
from sandbox.detect.shell import ROOT, UNKNOWN, Command, below
from sandbox.spec import Tree

MAX_WANTED = 200
"""Of each kind."""

_PIP_VALUES = frozenset({"-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target", "--python"})
_PIP_VALUES |= {"--prefix", "--root", "--only-binary", "--no-binary", "--progress-bar", "--config-settings", "-C"}
_PIP_VALUES |= {"--upgrade-strategy", "--trusted-host", "--cache-dir", "--src", "--resolution", "-p", "--platform"}
_FILES = frozenset({"-r", "--requirement", "--requirements"})
_CONSTRAINTS = frozenset({"-c", "--constraint", "--constraints"})
_EXTRAS = frozenset({"--extra", "--extras", "-E"})
_GROUPS = frozenset({"--group", "--with", "-G", "--only-group", "--only"})
_REQUIREMENT = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[\w,. -]*\])?(?: ?(?:[<>=!~]=?|===) ?[\w.*+-]+,?)*(?: ?;.*)?"
)
_LOCAL = re.compile(r"(\.[\w./-]*)(?:\[([^\]]*)\])?")
# What drives, builds, checks or publishes; no suite needs it to run, and several change the environment under it.
_TOOLS = frozenset({"pip", "uv", "poetry", "pdm", "tox", "nox", "hatch", "twine", "build", "pipenv", "virtualenv"})
_TOOLS |= {"coveralls", "codecov", "pre-commit", "cibuildwheel", "tox-gh-actions", "tox-uv", "wheel"}
_TOOLS |= {"flake8", "black", "isort", "ruff", "mypy", "pylint", "pyright", "nox-uv", "check-manifest", "bandit"}


@dataclass(slots=True)
class Wanted:
    """What is installed beside the project; each maps to the `file:line` that says so, in the order it was said.

    `extras` are the project's own, `projects` other ones below the root, `everything` says that all groups are.
    """

    extras: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    requirements: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    constraints: dict[str, str] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)


def read(wanted: Wanted, command: Command, tree: Tree) -> bool:
    """Note what the command installs; whether it is one that installs."""
    words = command.words
    if words[0] == "uv" and words[1:2] == ("pip",):
        words = words[1:]
    if words[0] in {"pip", "pip3"}:
        _pip(wanted, words[1:], command, tree)
    elif words[0] in {"uv", "poetry", "pdm", "pipenv", "rye"}:
        _managed(wanted, words[1:], command.source)
    else:
        return False
    return True


def run_options(wanted: Wanted, options: Sequence[str], source: str) -> None:
    """Note what the options of `uv run` ask for."""
    for option, value in _pairs(options):
        if option in _EXTRAS:
            _note(wanted.extras, value, source)
        elif option == "--with" and _is_requirement(value):
            _note(wanted.requirements, value, source)
        elif option in {"--group", "--only-group"}:
            _note(wanted.groups, value, source)


def _managed(wanted: Wanted, words: Sequence[str], source: str) -> None:
    if not words or words[0] not in {"sync", "install", "run", "export"}:
        return
    for option, value in _pairs(words[1:]):
        names = re.split(r"[,\s]+", value) if value else []
        if option in _EXTRAS:
            _note(wanted.extras, names, source)
        elif option in _GROUPS:
            _note(wanted.groups, names, source)
        elif option in {"--all-extras", "--all-groups"}:
            _note(wanted.extras if option == "--all-extras" else wanted.groups, "*", source)


def _pip(wanted: Wanted, words: Sequence[str], command: Command, tree: Tree) -> None:
    if "install" not in words:
        return
    words = words[words.index("install") + 1 :]
    waiting = iter(range(len(words)))
    for at in waiting:
        option, value = _split(words[at])
        if option in _PIP_VALUES and not value:
            next(waiting, None)
        elif option in _FILES | _CONSTRAINTS | {"--group", "-e", "--editable"}:
            value = value or "".join(words[at + 1 : at + 2])
            if not _split(words[at])[1]:
                next(waiting, None)
            _option(wanted, option, value, command, tree)
        elif not option:
            _argument(wanted, value, command, tree)


def _option(wanted: Wanted, option: str, value: str, command: Command, tree: Tree) -> None:
    if option == "--group":
        _note(wanted.groups, value.rpartition(":")[2], command.source)
    elif option in {"-e", "--editable"}:
        _argument(wanted, value, command, tree)
    elif (path := below(command.directory, value)) in tree:
        _note(wanted.files if option in _FILES else wanted.constraints, path, command.source)


def _argument(wanted: Wanted, word: str, command: Command, tree: Tree) -> None:
    if UNKNOWN in word or "{" in word:
        return
    word = f".{word.removeprefix(ROOT)}" if word.startswith(ROOT) else word
    if match := _LOCAL.fullmatch(word if word.startswith(".") else f"./{word}"):
        place = normpath(below(command.directory, match[1]))
        extras = list(filter(is_name, re.split(r"[,\s]+", match[2] or "")))
        if place == ".":
            _note(wanted.extras, extras, command.source)
            return
        if any(f"{place}/{name}" in tree for name in ("pyproject.toml", "setup.py")):
            _note(wanted.projects, f"./{place}" + (f"[{','.join(extras)}]" if extras else ""), command.source)
            return
    if _is_requirement(word):
        _note(wanted.requirements, word, command.source)


def _is_requirement(word: str) -> bool:
    name = re.split(r"[^\w.-]", word, maxsplit=1)[0].lower()
    return is_requirement(word) and bool(_REQUIREMENT.fullmatch(word)) and name not in _TOOLS and word != "setuptools"


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with the word after them, or after their equals sign."""
    for at, word in enumerate(words):
        option, value = _split(word)
        if option:
            following = "".join(words[at + 1 : at + 2])
            yield option, value or ("" if following.startswith("-") else following)


def _split(word: str) -> tuple[str, str]:
    """`--option=value` and `-rvalue` as a pair; a word that is no option has an empty one."""
    if word.startswith("--"):
        option, _, value = word.partition("=")
        return option, value
    if word.startswith("-"):
        return word[:2], word[2:].strip()
    return "", word


def _note(into: dict[str, str], values: str | Sequence[str], source: str) -> None:
    for value in [values] if isinstance(values, str) else values:
        if value and UNKNOWN not in value and len(into) < MAX_WANTED:
            into.setdefault(value, source)
