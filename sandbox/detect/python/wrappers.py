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
        elif (first in _RUNNERS and words[1:2] == ["run"]) or (first == "uvx"):
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
    return rest[1:] if rest[:1] in (["-m"], ("-m",)) else None


def _options_off(words: Sequence[str], with_value: frozenset[str]) -> tuple[list[str], Sequence[str]]:
    """The options in front, and what follows them; `-m` begins what follows."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-m":
        at += 2 if words[at] in with_value else 1
        if words[at - 1 : at] == ["--"]:
            break
    return list(words[:at]), words[at:]
