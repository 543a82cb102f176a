"""Runs of any command that writes JUnit XML: its files, believed only together with its exit code."""

import re
from collections import Counter
from dataclasses import replace

from sandbox.results import records, session
from sandbox.results.junit_xml import read
from sandbox.results.plan import MOUNT, Plan, ended_early, text, unproven
from sandbox.spec import Recipe, RunResult, RunState, TestResult, TestRun

MAX_FILES = 500
"""As the guest has it."""


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str) -> Plan:
    """The recipe's command as it is, and the copying of its files; the whole suite, whatever is selected."""
    del node_ids
    names = ("junit_collect.py", *(("node_run.py",) if recipe.toolchain == "node" else ()))
    collect, *linked = (("python3", "-I", f"/{MOUNT}/{nonce}/{name}") for name in names)
    links = (*linked[0], "--plain") if linked else ()
    command = (*collect, recipe.junit, *links, *recipe.test_command)
    return Plan(command, {f"{nonce}/{name}": session.guest(name) for name in names})


def parse(result: RunResult, nonce: str) -> TestRun:
    """What the container's end and the files prove together; anything that does not add up is no pass."""
    early = ended_early(result)
    if early is not None:
        return early
    try:
        tests = _tests(result, nonce)
    except ValueError:
        return unproven(RunState.INCONSISTENT, result)
    if tests is None:
        return unproven(RunState.NO_RESULTS, result)
    if not tests:
        return unproven(RunState.NO_TESTS, result)
    if any(test.outcome.red for test in tests) is (result.exit_code == 0):
        return unproven(RunState.INCONSISTENT, result)
    return TestRun(RunState.COMPLETE, tests, len(tests), result.exit_code, text(result.output), result.seconds)


def _tests(result: RunResult, nonce: str) -> tuple[TestResult, ...] | None:
    """The tests of all files in order, `None` where there is no file. Raises `ValueError` for what cannot be read."""
    index = result.results.get(f"{nonce}.json")
    if not index:
        return None
    told = records.parsed(index)
    if not isinstance(told, dict) or not isinstance(told.get("files"), list):
        raise records.ForgeryError("no index of files")
    count = len(told["files"])
    if count > MAX_FILES or records.number(told, "exit") % 256 != (result.exit_code or 0) % 256:
        raise records.ForgeryError("more files than a suite writes, or another exit code")
    found = [result.results.get(f"{nonce}-{number}.xml") for number in range(count)]
    present = [data for data in found if data is not None]
    if len(present) < count or sum(map(len, present)) > records.MAX_BYTES:
        raise records.ForgeryError("a file is missing, or they are too large")
    return _distinct(read(present)) if present else None


def _distinct(tests: list[TestResult]) -> tuple[TestResult, ...]:
    """A name that comes again gets its number: the order of files and of tests in them is what tells them apart.

    ` #` in a name is escaped, so that no name looks like a numbered one.
    """
    seen: Counter[str] = Counter()
    named = []
    for test in tests:
        name = re.sub(r" (\\*#)", r" \\\1", test.node_id)
        seen[name] += 1
        named.append(replace(test, node_id=name if seen[name] == 1 else f"{name} #{seen[name]}"))
    return tuple(named)
