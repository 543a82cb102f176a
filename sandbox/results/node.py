"""Runs of JavaScript's test runners, each with a reporter of ours: `node --test`, jest, vitest, mocha.

A selection is narrowed to files, no further: patterns of names mean another thing in each runner and version, and the
tests of one file may depend on each other. What runs beside the selection is reported, too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.errors import DetectionError
from sandbox.results import session
from sandbox.results.plan import MOUNT, Plan
from sandbox.spec import File, Recipe, RunResult, TestRun


@dataclass(frozen=True, slots=True)
class _Runner:
    """`program` is the word after which `flags` go; `values` are its options that take the next word as their value.

    `dropped` are options that would stop early, measure coverage, watch, or replace the reporter. `counts` says that
    its exit code is the number of failures.
    """

    program: str
    reporter: str
    flags: tuple[str, ...]
    values: frozenset[str]
    dropped: tuple[str, ...] = ("--coverage", "--bail", "--watch", "--reporter", "-w", "-b")
    by_path: tuple[str, ...] = ()
    counts: bool = False


_REPORTER = "{reporter}"
_RUNNERS: Mapping[str, _Runner] = {
    "node-test": _Runner(
        "node",
        "node_test_reporter.mjs",
        (
            "--test-reporter=spec", "--test-reporter-destination=stdout",
            f"--test-reporter={_REPORTER}", "--test-reporter-destination=stderr",
        ),
        frozenset({
            "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file",
            "--test-name-pattern", "--test-concurrency", "--test-timeout", "--test-reporter",
            "--test-reporter-destination",
        }),
        ("--test-reporter", "--watch", "--experimental-test-coverage", "--test-only"),
    ),
    "jest": _Runner(
        "jest",
        "jest_reporter.cjs",
        ("--ci", "--coverage=false", "--bail=0", "--watchman=false", "--reporters=default", f"--reporters={_REPORTER}"),
        frozenset({
            "-c", "--config", "--rootDir", "--roots", "--maxWorkers", "-w", "--testPathPattern", "-t",
            "--testNamePattern", "--testTimeout", "--env", "--testEnvironment", "--selectProjects", "--projects",
            "--reporters", "--coverageDirectory", "--collectCoverageFrom", "--coverageReporters", "--setupFiles",
        }),
        ("--coverage", "--collectCoverage", "--bail", "-b", "--watch", "--reporters", "--json", "--outputFile"),
        by_path=("--runTestsByPath",),
    ),
    "vitest": _Runner(
        "vitest",
        "vitest_reporter.mjs",
        ("run", "--coverage.enabled=false", "--bail=0", "--reporter=default", f"--reporter={_REPORTER}"),
        frozenset({
            "-c", "--config", "-r", "--root", "--dir", "--environment", "--project", "-t", "--testNamePattern",
            "--pool", "--reporter", "--outputFile", "--mode", "--testTimeout",
        }),
        ("--coverage", "--bail", "--watch", "-w", "--reporter", "--outputFile", "--run", "--ui"),
    ),
    "mocha": _Runner(
        "mocha",
        "mocha_reporter.cjs",
        ("--no-bail", f"--reporter={_REPORTER}"),
        frozenset({
            "-r", "--require", "--import", "--loader", "--config", "-t", "--timeout", "--extension", "--spec",
            "-R", "--reporter", "-O", "--reporter-option", "--reporter-options", "-u", "--ui", "--file", "--ignore",
            "-g", "--grep", "-j", "--jobs",
        }),
        ("--bail", "-b", "--watch", "-w", "--reporter", "-R", "-O"),
        counts=True,
    ),
}  # fmt: skip
KINDS = frozenset(_RUNNERS)
_VERBS = frozenset({"run", "watch", "dev"})


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str) -> Plan:
    """The recipe's command with our reporter, behind the links to its packages. Raises `DetectionError`."""
    runner = _RUNNERS[recipe.ecosystem]
    command = _command(recipe, runner, f"/{MOUNT}/{nonce}/{runner.reporter}", node_ids)
    names = ("node_run.py", "node_records.cjs", runner.reporter)
    tree = {
        **{f"{nonce}/{name}": session.guest(name) for name in names},
        f"{nonce}/selection.json": File(json.dumps(node_ids or None).encode()),
    }
    ending = "--counts" if runner.counts else "--plain"
    return Plan(("python3", "-I", f"/{MOUNT}/{nonce}/node_run.py", ending, *command), tree)


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the reporter's file prove together."""
    return session.parse(result, nonce)


def _command(recipe: Recipe, runner: _Runner, reporter: str, node_ids: tuple[str, ...]) -> tuple[str, ...]:
    words = recipe.test_command
    at = next((at for at, word in enumerate(words) if _is_program(word, runner.program)), None)
    if at is None:
        raise DetectionError(f"The test command does not start {runner.program}", "Name the command that does.")
    files = tuple(dict.fromkeys(node_id.partition("::")[0] for node_id in node_ids))
    rest = list(words[at + 1 :])
    if runner.program == "vitest" and rest[:1] and rest[0] in _VERBS:
        rest = rest[1:]
    flags = (flag.replace(_REPORTER, reporter) for flag in runner.flags)
    kept = _kept(rest, runner, with_files=not files)
    return (*words[: at + 1], *flags, *kept, *(runner.by_path if files else ()), *files)


def _is_program(word: str, program: str) -> bool:
    return word.rpartition("/")[2].removesuffix(".js").removesuffix(".mjs") in {program, f"_{program}"}


def _kept(words: Sequence[str], runner: _Runner, *, with_files: bool) -> list[str]:
    """The recipe's own arguments without what is dropped, and without files where others are selected."""
    kept: list[str] = []
    value_of: str | None = None
    for word in words:
        name = word.partition("=")[0]
        taken = name if name in runner.values and "=" not in word else None
        owner = value_of if value_of is not None else name
        drop = owner.startswith("-") and _drops(runner, owner)
        is_file = value_of is None and not word.startswith("-")
        if not drop and (with_files or not is_file):
            kept.append(word)
        value_of = taken if value_of is None else None
    return kept


def _drops(runner: _Runner, option: str) -> bool:
    """Whether an option, or what belongs to it, as `--coverage.reporter` and `--watchAll`, is left out."""
    rests = [option[len(one) :] for one in runner.dropped if option.startswith(one)]
    return any(not rest or rest[0] in ".-As" for rest in rests)
