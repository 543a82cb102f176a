"""What the suite does before anything is changed: which ids fail every time, which pass, which cannot be trusted."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from bot.errors import CollectionFailedError, NoTestsError, SuiteOutputError, SuiteTimeoutError, WorkspaceError
from bot.repair import describe
from bot.repair.measuring.flake import Flake
from bot.repair.measuring.odds import BASELINE_RUNS, SLOW_SUITE_SECONDS
from bot.repair.ports import Workspace
from bot.repair.types import WHOLE_SUITE, Base, Baseline, Patch, Selection
from sandbox.spec import Outcome, RunState, TestResult, TestRun

MAX_SAID = 160

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


def measure(
    workspace: Workspace, base: Base, runs: int = BASELINE_RUNS, slow_seconds: float = SLOW_SUITE_SECONDS
) -> Baseline:
    """Run the whole suite `runs` times on the base tree, each in a fresh container; of three and more, one shuffled.

    A suite slower than `slow_seconds` is not run again in random order, and so one run less. Raises `NoTestsError`,
    `CollectionFailedError`, `SuiteTimeoutError` or `SuiteOutputError` when a run in the runner's own order cannot be
    believed, and whatever else `Workspace.evaluate` raises.
    """
    if runs <= 2:  # noqa: PLR2004 (two that agree are what a shuffled one is compared with)
        return settle(workspace.evaluate(base, (Patch(),) * runs, WHOLE_SUITE))
    own = workspace.evaluate(base, (Patch(),) * (runs - 1), WHOLE_SUITE)
    baseline = settle(own)
    if baseline.suite_seconds > slow_seconds:
        why = f"not in random order, since it takes longer than {slow_seconds:.0f} s"
        return replace(baseline, orders=f"{baseline.orders}, {why}")
    (shuffled,) = workspace.evaluate(base, (Patch(),), Selection(seed=seed_of(base)))
    baseline = settle((*own, shuffled))
    return (
        baseline if shuffled.seed is not None else replace(baseline, orders=f"{baseline.orders}: it has no random one")
    )


def seed_of(base: Base) -> int:
    """The random order of a commit: as good as any, and the same whenever a log is replayed."""
    return int.from_bytes(hashlib.sha256(base.commit.encode()).digest()[:3])


def settle(runs: Sequence[TestRun]) -> Baseline:
    """Make one baseline of several runs; an id whose kind differs between runs, or that a run lacks, is flaky.

    A run in random order that cannot be believed, or that has another number of tests, is left out.
    """
    own, shuffled = [run for run in runs if run.seed is None], [run for run in runs if run.seed is not None]
    for run in own:
        _believe(run)
    counts = [len(run.outcomes) for run in own]
    if min(counts) < max(counts):
        raise SuiteOutputError(
            f"The suite has {max(counts)} tests in one run and {min(counts)} in another, on the same code",
            "Make the collection independent of time, order and random values.",
        )
    believed = [run for run in shuffled if run.state is RunState.COMPLETE and len(run.outcomes) == counts[0]]
    kept = [*own, *believed]
    kinds = [{node_id: kind(outcome) for node_id, outcome in run.outcomes.items()} for run in kept]
    seen = {node_id: [of_run.get(node_id) for of_run in kinds] for of_run in kinds for node_id in of_run}
    stable = {node_id: found[0] for node_id, found in seen.items() if len(set(found)) == 1}
    last = {result.node_id: result for result in own[-1].results}
    return Baseline(
        runs=len(kept),
        failing=tuple(last[node_id] for node_id, of_id in stable.items() if of_id is Kind.RED),
        passing=tuple(node_id for node_id, of_id in stable.items() if of_id is Kind.GREEN),
        flaky=tuple(node_id for node_id in seen if node_id not in stable),
        skipped=tuple(node_id for node_id, of_id in stable.items() if of_id is Kind.UNTESTED),
        suite_seconds=max(run.seconds for run in kept),
        flakes=tuple(_flake(node_id, found, kept) for node_id, found in seen.items() if node_id not in stable),
        orders=_orders(shuffled, believed),
    )


def set_aside(baseline: Baseline, flakes: Sequence[Flake]) -> Baseline:
    """The baseline with these as flaky ids, each once, and in no other class; the last word on one counts."""
    ids = {flake.node_id: flake for flake in flakes}
    return replace(
        baseline,
        failing=tuple(result for result in baseline.failing if result.node_id not in ids),
        passing=tuple(node_id for node_id in baseline.passing if node_id not in ids),
        skipped=tuple(node_id for node_id in baseline.skipped if node_id not in ids),
        flaky=(*(node_id for node_id in baseline.flaky if node_id not in ids), *ids),
        flakes=(*(flake for flake in baseline.flakes if flake.node_id not in ids), *ids.values()),
    )


_WORDS: Mapping[Kind | None, str] = {
    Kind.RED: "failed",
    Kind.GREEN: "passed",
    Kind.UNTESTED: "was not put to test",
    None: "was not there",
}


def _flake(node_id: str, found: Sequence[Kind | None], runs: Sequence[TestRun]) -> Flake:
    """Why an id whose kind is `found` in these runs is flaky, with the last failure's message."""
    own = {of_id for of_id, run in zip(found, runs, strict=True) if run.seed is None}
    count = sum(run.seed is None for run in runs)
    if len(own) == 1 < count:
        text = f"{_WORDS[found[-1]]} only in random order (seed {runs[-1].seed}); in the runner's own order it "
        text += f"{_WORDS[next(iter(own))]} in {count} of {count} runs"
    else:
        often = {word: sum(of_id is known for of_id in found) for known, word in _WORDS.items()}
        text = ", ".join(f"{word} in {times}" for word, times in often.items() if times)
        text += f" of {len(runs)} runs on the same code"
    red = [result for run in runs for result in run.red if result.node_id == node_id]
    return Flake(
        node_id,
        sum(of_id is Kind.GREEN for of_id in found),
        sum(of_id is Kind.RED for of_id in found),
        f"{text}{_said(red[-1]) if red else ''}",
        held=own == {Kind.GREEN} and count > 1,
    )


def _said(red: TestResult) -> str:
    what = ": ".join(part for part in (red.exception, red.message) if part)
    return f"; it said: {describe.one_line(what, MAX_SAID)}" if what else ""


def _orders(shuffled: Sequence[TestRun], believed: Sequence[TestRun]) -> str:
    """A phrase that follows the number of runs."""
    if believed:
        return f"one of them in random order (seed {believed[0].seed})"
    if shuffled:
        run = shuffled[0]
        why = (
            "it had another number of tests"
            if run.state is RunState.COMPLETE
            else describe.one_line(describe.cause(run))
        )
        return f"in the runner's own order; one in random order (seed {run.seed}) is left out: {why}"
    return "in the runner's own order"


def _believe(run: TestRun) -> None:
    if run.state is RunState.COMPLETE and run.results:
        return
    state = RunState.NO_TESTS if run.state is RunState.COMPLETE else run.state
    error, remedy = _ERRORS[state]
    text = describe.cause(run) if run.state is state else "no test was collected"
    raise error(text[0].upper() + text[1:], remedy)
