"""How a command starts pytest, so that a launcher of ours can take its place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

PYTEST = frozenset({"pytest", "py.test"})
# They run the rest of their words as a command, and load nothing of the tree themselves.
WRAPPERS = frozenset({"env", "timeout", "nice", "nohup", "stdbuf", "setsid", "xvfb-run", "dbus-run-session"})
_INTERPRETER = re.compile(r"(python|pypy)[\d.]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_OPTION = re.compile(r"-.*|\d[\d.]*[smhd]?", re.DOTALL)
_FLAGS = re.compile(r"-[bBdEIOPqRsSuv]+|-[XW].+", re.DOTALL)
_WITH_VALUE = frozenset({"-X", "-W"})
_COVERAGE_WITH_VALUE = frozenset(
    {"--source", "--source-pkgs", "--omit", "--include", "--rcfile", "--context", "--concurrency", "--data-file"}
)
_PATH = "PYTHONPATH="


@dataclass(frozen=True, slots=True)
class Start:
    """`interpreter` with its options and what stands before it, pytest's `arguments`.

    `program` is the script that the command names, `None` for `python -m`; `in_path` says that the command puts the
    working directory on the path, `path` is the PYTHONPATH that it sets.
    """

    interpreter: tuple[str, ...]
    arguments: tuple[str, ...]
    program: str | None
    in_path: bool
    path: str | None = None


def start(command: Sequence[str]) -> Start | None:
    """How the command starts pytest; `None` where it is not plain that it does."""
    words = tuple(command)
    at = next((at for at in range(len(words)) if _found(words[at:])), None)
    found = None if at is None else _found(words[at:])
    if at is None or found is None:
        return None
    before = words[:at]
    ambiguous = any(_found(words[later:]) for later in range(len(words) - len(found.arguments), len(words)))
    if not _wraps(before) or (ambiguous and not set(before).isdisjoint(WRAPPERS - {"env"})):
        return None
    paths = [word.removeprefix(_PATH) for word in before if word.startswith(_PATH)]
    kept = tuple(word for word in before if not word.startswith(_PATH))
    return Start(
        (*kept, *found.interpreter), found.arguments, found.program, found.in_path, paths[-1] if paths else None
    )


def _wraps(before: Sequence[str]) -> bool:
    """Whether nothing else than wrappers, their options, variables and durations stands before the start."""
    return all(
        word.rpartition("/")[2] in WRAPPERS
        or _ASSIGNMENT.fullmatch(word)
        or _OPTION.fullmatch(word)
        or before[at - 1 : at] == ("-u",)
        for at, word in enumerate(before)
    )


def _found(words: tuple[str, ...]) -> Start | None:
    """What the words start, if the first of them starts pytest."""
    name = words[0].rpartition("/")[2]
    if name in PYTEST:
        return Start(("python3",), words[1:], words[0], in_path=False)
    if name == "coverage":
        arguments = _covered(words[1:])
        return None if arguments is None else Start(("python3",), arguments, words[0], in_path=True)
    if not _INTERPRETER.fullmatch(name):
        return None
    options = _options(words)
    arguments = _module(words[options:])
    return None if arguments is None else Start(words[:options], arguments, None, in_path=True)


def _options(words: Sequence[str]) -> int:
    """How many words the interpreter and its options are."""
    at = 1
    while at < len(words) and (_FLAGS.fullmatch(words[at]) or words[at] in _WITH_VALUE):
        at += 2 if words[at] in _WITH_VALUE else 1
    return at


def _module(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Pytest's arguments, after the interpreter's own options."""
    if words and words[0].startswith("-m") and len(words[0]) > len("-m"):
        words = ("-m", words[0].removeprefix("-m"), *words[1:])
    match words:
        case ("-m", "pytest" | "py.test", *arguments):
            return tuple(arguments)
        case ("-m", "coverage", *arguments):
            return _covered(tuple(arguments))
        case _:
            return None


def _covered(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Pytest's arguments after `coverage run`, which only measures: that is left out."""
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] not in {"-m", "--module"}:
        at += 2 if words[at] in _COVERAGE_WITH_VALUE else 1
    match words[:1], words[at:]:
        case ("run",), ("-m" | "--module", "pytest" | "py.test", *arguments):
            return tuple(arguments)
        case _:
            return None
