"""Test commands as the repository writes them, in the form that is run here: what measures, reports or repeats goes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from posixpath import join

from sandbox.detect.shell import UNKNOWN, below
from sandbox.spec import Tree

PYTEST = ("python", "-m", "pytest")
UNITTEST = ("python", "-m", "unittest")
MAX_WORDS = 100

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
_SELECTING = frozenset({"-k", "-m", "--deselect"})


@dataclass(frozen=True, slots=True)
class Suite:
    """One command that runs tests: `ecosystem` is "python" (pytest) or "unittest"."""

    command: tuple[str, ...]
    ecosystem: str = "python"
    environment: tuple[tuple[str, str], ...] = ()
    source: str = ""


def pytest(words: Sequence[str], tree: Tree, directory: str) -> tuple[str, ...]:
    """Pytest's command with those of its arguments that mean something here, paths relative to the root."""
    kept = list(_kept(words[:MAX_WORDS], tree, directory))
    places = [word for word in kept if _exists(word, tree)]
    return (*PYTEST, *kept, *([directory] if directory and not places else []))


def unittest(words: Sequence[str], directory: str) -> tuple[str, ...] | None:
    """Unittest's command, `None` where one of its words is not known, or it runs below the root."""
    kept = [word for word in words[:MAX_WORDS] if word not in {"-v", "--verbose", "-q", "-f", "--failfast", "-b"}]
    if directory or any(UNKNOWN in word for word in kept):
        return None
    return (*UNITTEST, *kept)


def coverage(suite: Suite, tests: Sequence[str]) -> float:
    """How many of the test files the suite covers; a selection by name or mark counts half."""
    words = suite.command[len(PYTEST) :]
    places = [word.partition("::")[0].rstrip("/") for word in words if not word.startswith("-")]
    places = [place for place in places if any(test == place or test.startswith(f"{place}/") for test in tests)]
    covered = [test for test in tests if any(test == place or test.startswith(f"{place}/") for place in places)]
    count = len(covered) if places else len(tests)
    narrowed = any(word in _SELECTING or "::" in word or word.startswith(("-k", "-m")) for word in words)
    return count / 2 if narrowed else float(count)


def _kept(words: Sequence[str], tree: Tree, directory: str) -> Iterator[str]:
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
            yield word if name not in _PATHS else f"{name}={below(directory, word.partition('=')[2])}"
            if "=" not in word and word.startswith("--") and _is_value(after, tree, directory):
                next(waiting, None)
                yield place if _exists(place := below(directory, after), tree) else after
        elif _exists(place := below(directory, word), tree):
            yield place


def _dropped(word: str, name: str) -> bool:
    if UNKNOWN in word or name in _DROPPED_FLAGS or name in _DROPPED_WITH_VALUE:
        return True
    return word.startswith((*_DROPPED, "-r")) or (word.startswith("-n") and word[2:] in {"auto", "logical", "0"})


def _pair(option: str, value: str, directory: str) -> Iterator[str]:
    if value and UNKNOWN not in value:
        yield option
        yield below(directory, value) if option in _PATHS else value


def _is_value(word: str, tree: Tree, directory: str) -> bool:
    """Whether a word after an option that may take a value is that value: neither an option, nor a place with tests."""
    if not word or word.startswith("-"):
        return False
    place = below(directory, word)
    return not _exists(place, tree) or not any(
        path.startswith(f"{place}/") and path.rpartition("/")[2].startswith("test") for path in tree
    )


def _exists(word: str, tree: Tree) -> bool:
    place = word.partition("::")[0].rstrip("/")
    return place == "." or place in tree or any(path.startswith(join(place, "")) for path in tree)
