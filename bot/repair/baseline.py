"""What the suite does before anything is changed: which ids fail every time, which pass, which cannot be trusted."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from bot.errors import CollectionFailedError, NoTestsError, SuiteOutputError, SuiteTimeoutError, WorkspaceError
from bot.repair import describe
from bot.repair.ports import Workspace
from bot.repair.types import WHOLE_SUITE, Base, Baseline, Patch
from sandbox.spec import Outcome, RunState, TestRun

_ERRORS: Mapping[RunState, tuple[type[WorkspaceError], str]] = {
    RunState.NO_TESTS: (
        NoTestsError,
        "Add tests, or name the command that runs them (test_command in .github/regreen.yml).",
    ),
    RunState.COLLECTION_FAILED: (
        CollectionFailedError,
        "Make the tests importable with the dependencies that the repository declares.",
    ),
    RunState.NO_RESULTS: (
        SuiteOutputError,
        "Check that the test command starts the test runner and that no test ends the process itself.",
    ),
    RunState.INCONSISTENT: (
        SuiteOutputError,
        "Look for a test, a set-up file or a plugin that ends the process, or rewrites results or the exit code.",
    ),
    RunState.TIMEOUT: (
        SuiteTimeoutError,
        "Find the test that hangs, or allow the suite more time (REGREEN_SUITE_TIMEOUT).",
    ),
    RunState.OUTPUT_LIMIT: (
        SuiteOutputError,
        "Find the test that prints without end.",
    ),
    RunState.OOM: (
        SuiteOutputError,
        "Find the test that takes it, or allow the suite more memory (REGREEN_SANDBOX_MEMORY_MIB).",
    ),
}


class Kind(StrEnum):
    """What an outcome means for a comparison. An unexpected pass is a pass; an expected failure was not put to test."""

    RED = "red"
    GREEN = "green"
    UNTESTED = "untested"


def kind(outcome: Outcome) -> Kind:
    """Failed and error are red, passed and xpassed green, skipped and xfailed untested."""
    if outcome.red:
        return Kind.RED
    return Kind.GREEN if outcome in {Outcome.PASSED, Outcome.XPASSED} else Kind.UNTESTED


def measure(workspace: Workspace, base: Base, runs: int = 2) -> Baseline:
    """Run the whole suite `runs` times on the base tree, each in a fresh container.

    Raises `NoTestsError`, `CollectionFailedError`, `SuiteTimeoutError` or `SuiteOutputError` when a run cannot be
    believed, and whatever else `Workspace.evaluate` raises.
    """
    return settle(workspace.evaluate(base, (Patch(),) * runs, WHOLE_SUITE))


def settle(runs: Sequence[TestRun]) -> Baseline:
    """Make one baseline of several runs; an id whose kind differs between runs, or that a run lacks, is flaky."""
    for run in runs:
        _believe(run)
    counts = [len(run.outcomes) for run in runs]
    if min(counts) < max(counts):
        raise SuiteOutputError(
            f"The suite has {max(counts)} tests in one run and {min(counts)} in another, on the same code",
            "Make the collection independent of time, order and random values.",
        )
    kinds = [{node_id: kind(outcome) for node_id, outcome in run.outcomes.items()} for run in runs]
    seen = {node_id: {of_run.get(node_id) for of_run in kinds} for of_run in kinds for node_id in of_run}
    stable = {node_id: next(iter(found)) for node_id, found in seen.items() if len(found) == 1}
    last = {result.node_id: result for result in runs[-1].results}
    return Baseline(
        runs=len(runs),
        failing=tuple(last[node_id] for node_id, of_id in stable.items() if of_id is Kind.RED),
        passing=tuple(node_id for node_id, of_id in stable.items() if of_id is Kind.GREEN),
        flaky=tuple(node_id for node_id in seen if node_id not in stable),
        skipped=tuple(node_id for node_id, of_id in stable.items() if of_id is Kind.UNTESTED),
        suite_seconds=max(run.seconds for run in runs),
    )


def _believe(run: TestRun) -> None:
    if run.state is RunState.COMPLETE and run.results:
        return
    state = RunState.NO_TESTS if run.state is RunState.COMPLETE else run.state
    error, remedy = _ERRORS[state]
    text = describe.cause(run) if run.state is state else "no test was collected"
    raise error(text[0].upper() + text[1:], remedy)
