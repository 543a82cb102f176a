"""What the names of targets, scripts, environments and sessions say of what they run."""

import re
from enum import IntEnum

from sandbox.detect import work

_TESTS = frozenset({"test", "tests", "pytest", "unittest", "unittests", "unit", "testing", "jest", "vitest", "mocha"})
_CHECKS = frozenset({"check", "checks", "ci", "all", "verify", "validate", "default", "qa"})
_ELSE = frozenset({"lint", "linting", "format", "fmt", "style", "doc", "docs", "type", "types", "typing", "mypy"})
_ELSE |= {"typecheck", "doctest", "doctests", "bench", "benchmark", "build", "release", "publish", "clean", "changelog"}
_ELSE |= {"cov", "coverage", "report", "combine", "watch", "debug", "update", "install", "deps", "setup", "fuzz"}
_ELSE |= {"e2e", "integration", "smoke", "perf", "minimal", "nightly", "pypy", "pyright", "pylint", "ruff", "flake8"}
_WORDS = re.compile(r"[a-z]+[a-z0-9]*")


class Rank(IntEnum):
    """The less, the rather the tests: all of them, nobody knows, the tests among judgements of other kinds, or else."""

    TESTS = 0
    UNKNOWN = 1
    CHECKS = 2
    ELSE = 3


def rank(name: str) -> Rank:
    """What a name says."""
    words = set(_WORDS.findall(name.lower()))
    if words & _ELSE or any(word.startswith("pypy") for word in words):
        return Rank.ELSE
    if words & _TESTS:
        return Rank.TESTS
    return Rank.CHECKS if words & _CHECKS else Rank.UNKNOWN


def ordered(names: tuple[str, ...], wanted: Rank) -> list[str]:
    """Those of one rank, the plainest first."""
    work.spend(sum(map(len, names)))
    return sorted((name for name in names if rank(name) is wanted), key=len)
