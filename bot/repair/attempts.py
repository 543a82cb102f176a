"""From what a proposer answered to an attempt with a verdict."""

from dataclasses import dataclass, replace

from bot.repair import describe, record
from bot.repair.baseline import Kind, kind
from bot.repair.compare import broken
from bot.repair.fingerprint import changed_lines, tree_hash, unchanged
from bot.repair.gate import GateVerdict, before_of, refuse, verify
from bot.repair.protection import Protection
from bot.repair.rules import Rules, World
from bot.repair.stops import earlier
from bot.repair.types import Attempt, Baseline, Comparison, Proposal, Proposed, Task, Verdict
from sandbox.spec import RunState, TestResult, TestRun

MAX_RED = 5
MAX_REASON = 2000

Examined = tuple[Attempt, TestRun | None]


@dataclass(frozen=True, slots=True)
class Examiner:
    """Judges one answer after another; `base_paths` are the files of the base tree, `protection` is theirs."""

    task: Task
    baseline: Baseline
    world: World
    rules: Rules
    base_paths: frozenset[str]
    protection: Protection

    def examine(self, number: int, proposed: Proposed, past: tuple[Attempt, ...]) -> Examined:
        """The attempt, without its lesson and its seconds, and the run that its verdict rests on.

        Runs no test for an answer that is no patch, the code of an earlier attempt, or refused.
        """
        proposal = proposed.proposal
        blank = Attempt(number, Verdict.NOT_APPLIED, proposal, Comparison(), "", "", None, proposed.usage, 0.0)
        if proposal is None:
            return replace(blank, reason=proposed.refusal[:MAX_REASON] or "the answer holds no patch"), None
        marked = replace(blank, tree=tree_hash(proposal.patch))
        if twin := earlier(past, marked.tree):
            return _repeat(marked, twin), None
        before = before_of(self.world.workspace, self.task.base, proposal.patch, self.base_paths)
        refusal = refuse(proposal.patch, before, self.base_paths, self.protection)
        if refusal is None and unchanged(proposal.patch, before):
            refusal = "the patch changes nothing"
        if refusal:
            return replace(marked, verdict=Verdict.REFUSED, reason=refusal), None
        return self._run(replace(marked, changed_lines=changed_lines(proposal.patch, before)), proposal)

    def _run(self, marked: Attempt, proposal: Proposal) -> Examined:
        result = verify(self.world.workspace, self.task, self.baseline, proposal.patch, self.rules.fast_suite_seconds)
        for trial in result.trials:
            record.ran(self.world.journal, marked.number, trial)
        return _outcome(marked, result, self.task, self.baseline), result.trials[-1].run


def best(attempts: tuple[Attempt, ...]) -> Attempt | None:
    """The attempt that came closest: nothing broken first, then most fixed, fewest changed lines, earliest."""
    useful = [attempt for attempt in attempts if attempt.verdict in {Verdict.PARTIAL, Verdict.REGRESSED}]
    useful = [attempt for attempt in useful if attempt.comparison.fixed]
    return min(
        useful,
        key=lambda attempt: (
            bool(broken(attempt.comparison)),
            -len(attempt.comparison.fixed),
            attempt.changed_lines,
            attempt.number,
        ),
        default=None,
    )


def _repeat(marked: Attempt, twin: Attempt) -> Attempt:
    return replace(
        marked,
        verdict=Verdict.REPEATED,
        comparison=twin.comparison,
        reason=f"the same code as attempt {twin.number}",
        failure=twin.failure,
        passed=twin.passed,
        total=twin.total,
        red=twin.red,
        changed_lines=twin.changed_lines,
    )


def _outcome(attempt: Attempt, result: GateVerdict, task: Task, baseline: Baseline) -> Attempt:
    run = result.trials[-1].run
    passed, total = _counts(run, baseline)
    red = _red(run, task, result)
    failure = describe.failure(red[0]) if red else ""
    if run.state is not RunState.COMPLETE:
        failure = failure or describe.one_line(result.reason)
    return replace(
        attempt,
        verdict=result.verdict,
        comparison=result.comparison,
        reason=result.reason[:MAX_REASON],
        failure=failure,
        passed=passed,
        total=total,
        red=red,
    )


def _counts(run: TestRun, baseline: Baseline) -> tuple[int, int]:
    if run.state is not RunState.COMPLETE:
        return 0, len({*baseline.failing_ids, *baseline.passing, *baseline.skipped, *baseline.flaky})
    return sum(kind(outcome) is Kind.GREEN for outcome in run.outcomes.values()), len(run.outcomes)


def _red(run: TestRun, task: Task, result: GateVerdict) -> tuple[TestResult, ...]:
    if run.state is not RunState.COMPLETE:
        return run.red[:MAX_RED]
    by_id = {red.node_id: red for red in run.red}
    wanted = (*task.targets, *broken(result.comparison))
    return tuple(by_id[node_id] for node_id in dict.fromkeys(wanted) if node_id in by_id)[:MAX_RED]
