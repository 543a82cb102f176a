"""From what a proposer answered to attempts with verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.repair import describe, record
from bot.repair.gate import before_of, refuse
from bot.repair.integrity.fingerprint import changed_lines, tree_hash, unchanged
from bot.repair.integrity.suites import NO_SUITES, Suites
from bot.repair.measuring.baseline import Kind, kind
from bot.repair.measuring.compare import broken
from bot.repair.measuring.flake import Flake
from bot.repair.protection import Protection
from bot.repair.rules import Rules, World
from bot.repair.stops import earlier
from bot.repair.types import Attempt, Baseline, Comparison, Proposal, Proposed, Task, Verdict
from bot.repair.verify import GateVerdict, verify
from sandbox.spec import RunState, TestResult, TestRun

MAX_RED = 5
MAX_REASON = 2000


@dataclass(frozen=True, slots=True)
class Examined:
    """An attempt, without its lesson and its seconds, the run that its verdict rests on, and the flaky tests it met."""

    attempt: Attempt
    run: TestRun | None = None
    flakes: tuple[Flake, ...] = ()


@dataclass(frozen=True, slots=True)
class Examiner:
    """Judges one round of answers, by the tree's `base_paths` and `protection`, and by the `tests` of the targets."""

    task: Task
    baseline: Baseline
    world: World
    rules: Rules
    base_paths: frozenset[str]
    protection: Protection
    tests: Suites = NO_SUITES

    def examine(self, round_: int, answers: Sequence[Proposed], past: tuple[Attempt, ...]) -> tuple[Examined, ...]:
        """What became of each answer, in their order; their tests run together.

        Runs no test for an answer that is no patch, the code of an earlier one, or refused.
        """
        new: list[Attempt] = []
        for answer in answers:
            new.append(self._before_a_run(round_, len(past) + len(new) + 1, answer, (*past, *new)))
        waiting = [attempt for attempt in new if attempt.verdict is Verdict.NOT_FIXED]
        ran = self._run(waiting)
        examined: list[Examined] = []
        for attempt in new:
            known = (*past, *(one.attempt for one in examined))
            twin = earlier(known, attempt.tree) if attempt.verdict is Verdict.REPEATED else None
            judged = Examined(_repeat(attempt, twin) if twin else attempt)
            examined.append(ran.get(attempt.number, judged))
        return tuple(examined)

    def _before_a_run(self, round_: int, number: int, answer: Proposed, seen: Sequence[Attempt]) -> Attempt:
        """The attempt as far as it can be told without a test: `NOT_FIXED` where the tests have to say more."""
        proposal = answer.proposal
        blank = Attempt(number, Verdict.NOT_APPLIED, proposal, Comparison(), "", "", None, answer.usage, 0.0)
        blank = replace(blank, round=round_, greedy=answer.greedy)
        if proposal is None:
            return replace(blank, reason=answer.refusal[:MAX_REASON] or "the answer holds no patch")
        marked = replace(blank, tree=tree_hash(proposal.patch))
        if earlier(seen, marked.tree):
            return replace(marked, verdict=Verdict.REPEATED)
        before = self.before(proposal)
        record.patched(self.world.journal, number, proposal.patch, before)
        refusal = refuse(proposal.patch, before, self.base_paths, self.protection, self.tests)
        if refusal is None and unchanged(proposal.patch, before):
            refusal = "the patch changes nothing"
        if refusal:
            return replace(marked, verdict=Verdict.REFUSED, reason=refusal)
        return replace(marked, verdict=Verdict.NOT_FIXED, changed_lines=changed_lines(proposal.patch, before))

    def before(self, proposal: Proposal) -> dict[str, bytes]:
        """What the files that a proposal patches hold on the base tree. Raises `WorkspaceError`."""
        return before_of(self.world.workspace, self.task.base, proposal.patch, self.base_paths)

    def _run(self, waiting: Sequence[Attempt]) -> dict[int, Examined]:
        patches = [attempt.proposal.patch for attempt in waiting if attempt.proposal]
        fast = self.rules.fast_suite_seconds
        results = verify(self.world.workspace, self.task, self.baseline, patches, fast)
        found: dict[int, Examined] = {}
        for attempt, result in zip(waiting, results, strict=True):
            for trial in result.trials:
                record.ran(self.world.journal, attempt.number, trial)
            record.flaky(self.world.journal, attempt.number, result.flakes)
            judged = _outcome(attempt, result, self.task, self.baseline)
            found[attempt.number] = Examined(judged, result.trials[-1].run, result.flakes)
        return found


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
