"""What the repository's own automation says about its tests: set-up steps, workflows, and what drives tests."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from sandbox.detect import devcontainer, justfile, makefile, workflows
from sandbox.detect.naming import Rank, ordered
from sandbox.detect.python import hatch, suites
from sandbox.detect.python.installs import Wanted
from sandbox.detect.python.suites import Places, Suite
from sandbox.detect.python.translate import Facts, facts
from sandbox.detect.shell import Command
from sandbox.detect.workflows import Job
from sandbox.spec import Tree

_BESIDE_TESTS: tuple[str, ...] = (
    "lint",
    "doc",
    "cov",
    "bench",
    "release",
    "publish",
    "build",
    "deploy",
    "nightly",
    "wheel",
    "typ",
)
_BESIDE_TESTS += ("mypy", "fuzz", "minim", "lowest", "oldest", "pypy", "downstream", "freethread", "emscripten")
_DRIVERS: tuple[tuple[str, ...], ...] = (("tox",), ("nox",), ("hatch", "test"), ("hatch", "run", "test"))
_SCRIPTS: tuple[tuple[str, ...], ...] = (("scripts/test",), ("sh", "scripts/test.sh"))
_PROGRAMS = (makefile.MAKE, justfile.JUST)
MAX_TARGETS = 10


@dataclass(frozen=True, slots=True)
class Story:
    """The suite that automation runs, `None` where none is known, what it installs, and what it asks a machine for.

    `driven` is what tox, nox and the like would install, for where nothing else says it; `services` and
    `system`, Debian packages, come each with its `file:line`.
    """

    suite: Suite | None
    wanted: Wanted
    driven: Wanted
    services: tuple[tuple[str, str], ...] = ()
    system: tuple[tuple[str, str], ...] = ()


def read(tree: Tree, tests: Sequence[str]) -> Story:
    """The story, in SANDBOX.md's order: set-up steps, development container, workflows, then what drives tests."""
    places = Places.of(tree)
    prepared = facts(places, [*(one for job in workflows.setup_steps(tree) for one in job.commands)])
    container = facts(places, devcontainer.commands(tree))
    job, of_job = _job(places, tests)
    driven = _driven(places, tests)
    known = (prepared, of_job, container, driven)
    suite = next((found for one in known if (found := _best(one.suites, tests))), None)
    system = {name: where for one in (prepared, of_job) for name, where in one.system.items()}
    wanted = merged((prepared.wanted, container.wanted, of_job.wanted))
    if suite is not None and suite in driven.suites:
        wanted = merged((wanted, driven.wanted))
    return Story(suite, wanted, driven.wanted, job.services, tuple(system.items()))


def merged(parts: Iterable[Wanted]) -> Wanted:
    """All of them, the first source of each."""
    whole = Wanted()
    for part in parts:
        for name in (one.name for one in fields(Wanted)):
            for value, source in getattr(part, name).items():
                getattr(whole, name).setdefault(value, source)
    return whole


def _job(places: Places, tests: Sequence[str]) -> tuple[Job, Facts]:
    """The job that runs most of the tests; among equals one that is named after tests and not after something else."""
    best: tuple[Job, Facts] = (Job("", ()), Facts())
    score: tuple[float, int, int] = (0.0, 0, 0)
    for job in workflows.jobs(places.tree):
        found = facts(places, job.commands)
        suite = _best(found.suites, tests)
        if suite is None:
            continue
        name = job.name.lower()
        aside = sum(word in name for word in _BESIDE_TESTS)
        own = (suites.coverage(suite, tests), -aside, int("test" in name))
        if best[0].name == "" or own > score:
            best, score = (job, found), own
    return best


def _driven(places: Places, tests: Sequence[str]) -> Facts:
    """What the first driver does that is there for tests; one that is there for more only where it runs most of them.

    A target that lints and, by the way, runs a few tests says nothing of how the others are run.
    """
    least = dict.fromkeys(_targets(places.tree, Rank.CHECKS), len(tests) / 2)
    for words in (*_named(places.tree), *least):
        found = facts(places, [Command(words, (), "", words[0])])
        suite = _best(found.suites, tests)
        if suite is not None and suites.coverage(suite, tests) >= least.get(words, 0):
            return found
    # Without a suite its requirements still are what tests need.
    return facts(places, [Command(_DRIVERS[0])])


def _named(tree: Tree) -> Iterator[tuple[str, ...]]:
    yield from (words for words in _DRIVERS if words != ("hatch", "test") or hatch.tests(tree))
    yield from _targets(tree, Rank.TESTS)
    yield from _SCRIPTS


def _targets(tree: Tree, wanted: Rank) -> Iterator[tuple[str, ...]]:
    for program in _PROGRAMS:
        for target in ordered(program.targets(tree), wanted)[:MAX_TARGETS]:
            yield program.name, target


def _best(found: Sequence[Suite], tests: Sequence[str]) -> Suite | None:
    """The first of those that run most of the tests."""
    return max(found, key=lambda suite: suites.coverage(suite, tests), default=None)
