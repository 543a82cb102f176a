"""What stands before a command without being it: interpreters, environment managers, coverage."""

import re
from collections.abc import Sequence

from sandbox.detect.shell import UNKNOWN

_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*")
_RUNNERS = frozenset({"uv", "poetry", "pdm", "pipenv", "rye", "pixi", "conda", "micromamba"})
_PLAIN = frozenset({"sudo", "time", "exec", "xvfb-run", "nice", "command", "dbus-run-session", "catchsegv", "env"})
_WITH_WORD = frozenset({"timeout"})
_UV_VALUES = frozenset({"--group", "--extra", "--with", "--python", "-p", "--package", "--env-file", "--directory"})
_UV_VALUES |= {"--only-group", "--no-group", "--with-requirements", "--project", "--resolution", "--index", "-n"}
_COVERAGE_VALUES = frozenset({"--source", "--rcfile", "--omit", "--include", "--concurrency", "--data-file"})
_PYTHON_VALUES = frozenset({"-W", "-X"})
_ENVIRONMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
RUNNERS = frozenset({"pytest", "py.test", "unittest"})
_STARTING = frozenset({"--", "run", "exec"})
_NAMING = frozenset(
    {"echo", "printf", "git", "pip", "pip3", "conda", "mamba", "uv", "poetry", "pdm", "pipenv", "apt-get"}
)
_NAMING |= {"apt", "apk", "brew", "rm", "grep", "which", "type", "ruff", "mypy", "pylint", "flake8", "black", "isort"}
MAX_WRAPPERS = 6

Unwrapped = tuple[tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, ...]]


def unwrap(words: Sequence[str]) -> Unwrapped:
    """The command itself, the variables that `env` gives it, and the options of `uv run`, which say what it needs."""
    environment: list[tuple[str, str]] = []
    options: list[str] = []
    for _ in range(MAX_WRAPPERS):
        first = words[0] if words else ""
        if first == "env" or first in _PLAIN:
            words = _options_off(words[1:], frozenset({"-u", "-n", "-s"}))[1]
            while words and (match := _ENVIRONMENT.fullmatch(words[0])):
                environment.append((match[1], match[2]))
                words = words[1:]
        elif first in _WITH_WORD:
            words = _options_off(words[1:], frozenset({"-k", "-s"}))[1][1:]
        elif (first in _RUNNERS and "run" in words[1:2]) or (first == "uvx"):
            found, words = _options_off(words[2 if first != "uvx" else 1 :], _UV_VALUES)
            options += found
        elif first == "coverage" and "run" in words[1:3]:
            words = ("python", *_options_off(words[2:], _COVERAGE_VALUES)[1])
        elif (inner := _module(words)) is not None:
            words = inner
        else:
            break
    return tuple(words), tuple(environment), tuple(options)


def _module(words: Sequence[str]) -> Sequence[str] | None:
    """Of `python -m X …` what follows; `None` for everything else. An interpreter that is not known is one."""
    if not words or not (_PYTHON.fullmatch(words[0]) or words[0] in {"py", UNKNOWN}):
        return None
    rest = words[1:]
    while rest and rest[0].startswith("-") and rest[0] != "-m":
        if rest[0] == "-c":
            return None
        rest = rest[2:] if rest[0] in _PYTHON_VALUES else rest[1:]
    return rest[1:] if "-m" in rest[:1] else None


def runs_tests(words: Sequence[str]) -> bool:
    """Whether these words start a test runner that is known here."""
    command = unwrap(words)[0]
    return bool(command) and (command[0] in RUNNERS or bool(behind(command)))


def behind(words: Sequence[str]) -> tuple[str, ...]:
    """Of a program that is not known the test runner that it is asked to start, as behind `docker run`; else nothing.

    What only names a runner, and does not start it, is not taken for one.
    """
    if not words or words[0].rpartition("/")[2] in _NAMING:
        return ()
    for at in range(1, len(words)):
        if words[at] == "-m" and words[at + 1 : at + 2] and words[at + 1] in RUNNERS:
            return tuple(words[at + 1 :])
        if words[at] in RUNNERS and (UNKNOWN in words[at - 1] or not _STARTING.isdisjoint(words[:at])):
            return tuple(words[at:])
    return ()


def _options_off(words: Sequence[str], with_value: frozenset[str]) -> tuple[list[str], Sequence[str]]:
    """The options in front, and what follows them; `-m` begins what follows."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-m":
        at += 2 if words[at] in with_value else 1
        if words[at - 1] == "--":
            break
    return list(words[:at]), words[at:]
