"""Test commands as the repository writes them, in the form that is run here: what measures, reports or repeats goes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from sandbox.detect import work
from sandbox.detect.shell import UNKNOWN, below
from sandbox.spec import Tree

PYTEST = ("python", "-m", "pytest")
UNITTEST = ("python", "-m", "unittest")
MAX_WORDS = 100
MAX_TESTS = 2000
MAX_PLACES = 10

_KEPT_WITH_VALUE = frozenset({"-k", "-m", "-p", "-o", "-W", "--ignore", "--ignore-glob", "--deselect", "--ds"})
_KEPT_WITH_VALUE |= {"--import-mode", "--doctest-glob", "--override-ini", "--pythonwarnings", "--confcutdir"}
_PATHS = frozenset({"-c", "--config-file", "--rootdir", "--ignore", "--confcutdir"})
_DROPPED_WITH_VALUE = frozenset({"-n", "--numprocesses", "--dist", "--maxprocesses", "--junitxml", "--junit-xml"})
_DROPPED_WITH_VALUE |= {"--durations", "--tb", "--color", "--cov-report", "--cov-config", "--cov-fail-under", "--html"}
_DROPPED_WITH_VALUE |= {"--reruns", "--reruns-delay", "--splits", "--group", "--maxfail", "--log-file", "--verbosity"}
_DROPPED_WITH_VALUE |= {"--report-log", "--timeout", "--splitting-algorithm", "--basetemp", "--durations-min"}
_DROPPED = ("--cov", "--junit", "--benchmark-json", "--benchmark-save", "--self-contained", "--codspeed", "--memray")
_DROPPED_FLAGS = frozenset({"-x", "--exitfirst", "--lf", "--ff", "--nf", "--sw", "--last-failed", "--failed-first"})
_DROPPED_FLAGS |= {"-v", "-vv", "-vvv", "-q", "-qq", "-l", "--verbose", "--quiet", "--showlocals", "--stepwise"}
_DROPPED_FLAGS |= {"--no-header", "--no-summary", "--force-sugar", "--random-order"}
_DROPPED_WITH_VALUE |= {"--pastebin", "--pdbcls", "--result-log", "--resultlog"}
_DROPPED_FLAGS |= {"--pdb", "--trace", "--debug"}
# What these ask for is not that tests are run.
_NO_SUITE = frozenset({"--version", "-V", "--collect-only", "--co", "--help", "-h", "--fixtures", "--funcargs"})
_NO_SUITE |= {"--fixtures-per-test", "--markers", "--setup-plan", "--setup-only", "--setuponly", "--setupplan"}
_NO_SUITE |= {"--collectonly", "--cache-show"}
_CLUSTER = re.compile(r"-[lqsvx]*[hV][lqsvx]*")
_SELECTING = frozenset({"-k", "-m", "--deselect"})


@dataclass(frozen=True, slots=True)
class Suite:
    """One command that runs tests: `ecosystem` is "python" (pytest) or "unittest"."""

    command: tuple[str, ...]
    ecosystem: str = "python"
    environment: tuple[tuple[str, str], ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Places:
    """A tree, its folders, and those of them that have tests somewhere below: looked up for every word there is."""

    tree: Tree
    folders: frozenset[str]
    tested: frozenset[str]

    @classmethod
    def of(cls, tree: Tree) -> Self:
        """Those of a tree."""
        folders: set[str] = set()
        tested: set[str] = set()
        for path in tree:
            into = (folders, tested) if path.rpartition("/")[2].startswith("test") else (folders,)
            for known in into:
                folder = path.rpartition("/")[0]
                while folder and folder not in known:
                    known.add(folder)
                    folder = folder.rpartition("/")[0]
        return cls(tree, frozenset(folders), frozenset(tested))

    def has(self, word: str) -> bool:
        """Whether a word, perhaps with a node id behind it, is a file or folder."""
        place = word.partition("::")[0].rstrip("/")
        return place == "." or place in self.tree or place in self.folders


def pytest(words: Sequence[str], places: Places, directory: str) -> tuple[str, ...] | None:
    """Pytest's command with those of its arguments that mean something here, paths relative to the root.

    `None` where it runs no tests, but lists or explains something.
    """
    if any(word.partition("=")[0] in _NO_SUITE or _CLUSTER.fullmatch(word) for word in words):
        return None
    kept = list(_kept(words[:MAX_WORDS], places, directory))
    named = any(places.has(word) for word in kept)
    return (*PYTEST, *kept, *([directory] if directory and not named else []))


def unittest(words: Sequence[str], directory: str) -> tuple[str, ...] | None:
    """Unittest's command, `None` where one of its words is not known, or it runs below the root."""
    kept = [word for word in words[:MAX_WORDS] if word not in {"-v", "--verbose", "-q", "-f", "--failfast", "-b"}]
    if directory or any(UNKNOWN in word or word in {"-h", "--help"} for word in kept):
        return None
    return (*UNITTEST, *kept)


def coverage(suite: Suite, tests: Sequence[str]) -> float:
    """How many of the test files the suite covers; a selection by name or mark counts half."""
    words = suite.command[len(PYTEST) :]
    tests = tests[:MAX_TESTS]
    places = [word.partition("::")[0].rstrip("/") for word in words if not word.startswith("-")][:MAX_PLACES]
    work.spend(len(places) * len(tests) // 8 + 1)
    below = [{test for test in tests if test == place or test.startswith(f"{place}/")} for place in places]
    covered = set().union(*below)
    count = len(covered) if any(below) else len(tests)
    narrowed = any(word in _SELECTING or "::" in word or word.startswith(("-k", "-m")) for word in words)
    return count / 2 if narrowed else float(count)


def _kept(words: Sequence[str], places: Places, directory: str) -> Iterator[str]:
    waiting = iter(range(len(words)))
    for at in waiting:
        word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
        name = word.partition("=")[0]
        if word in _DROPPED_WITH_VALUE or (word == "--cov" and not after.startswith("-")):
            next(waiting, None)
        elif _dropped(word, name):
            continue
        elif word in _KEPT_WITH_VALUE | _PATHS:
            next(waiting, None)
            yield from _pair(word, after, directory)
        elif word.startswith("-"):
            yield from _joined(word, name, directory)
            if "=" not in word and word.startswith("--") and _is_value(after, places, directory):
                next(waiting, None)
                yield place if places.has(place := below(directory, after)) else after
        elif places.has(place := below(directory, word)):
            yield place


def _dropped(word: str, name: str) -> bool:
    if UNKNOWN in word or name in _DROPPED_FLAGS or name in _DROPPED_WITH_VALUE:
        return True
    return word.startswith((*_DROPPED, "-r")) or (word.startswith("-n") and word[2:] in {"auto", "logical", "0"})


def _joined(word: str, name: str, directory: str) -> Iterator[str]:
    """An option with what it is given behind an equals sign; a place outside the tree takes the option with it."""
    if name not in _PATHS:
        yield word
    elif UNKNOWN not in (place := below(directory, word.partition("=")[2])):
        yield f"{name}={place}"


def _pair(option: str, value: str, directory: str) -> Iterator[str]:
    value = below(directory, value) if value and option in _PATHS else value
    if value and UNKNOWN not in value:
        yield option
        yield value


def _is_value(word: str, places: Places, directory: str) -> bool:
    """Whether a word after an option that may take a value is that value: neither an option, nor a place with tests."""
    if not word or word.startswith("-"):
        return False
    place = below(directory, word)
    return not places.has(place) or not (place in places.tested or place in places.tree)
