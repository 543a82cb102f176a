"""`regreen fix PATH`: the same path without GitHub, with results for people and machines."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from bot.pipeline import targets
from bot.pipeline.diff import unified
from bot.pipeline.markdown import plain
from bot.pipeline.mend import Mended, Terms, mend
from bot.pipeline.ports import LoopPorts
from bot.pipeline.report import STOPS, VERDICTS
from bot.pipeline.steps import Steps
from bot.repair.types import Attempt, Base, Baseline, Patch

MAX_LISTED = 20
MAX_SAID = 300
MAX_LINE = 2000


class LocalState(StrEnum):
    """How a local fix ended."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    GREEN = "green"


@dataclass(frozen=True, slots=True)
class LocalReport:
    """How a local fix ended. `diffs` maps attempt numbers to unified diffs, `steps` names to seconds."""

    state: LocalState
    mended: Mended
    diffs: dict[int, str]
    steps: tuple[tuple[str, float], ...]

    @property
    def patch(self) -> Patch | None:
        """The solution's patch."""
        solution = self.mended.result.solution if self.mended.result else None
        return solution.proposal.patch if solution and solution.proposal else None

    @property
    def diff(self) -> str:
        """The solution as a unified diff, empty without one."""
        solution = self.mended.result.solution if self.mended.result else None
        return self.diffs.get(solution.number, "") if solution else ""

    def as_json(self) -> dict[str, Any]:
        """Plain values: state, stop, tests by category, attempts with diffs, cost, seconds by step."""
        result, baseline = self.mended.result, self.mended.baseline
        return {
            "state": self.state,
            "stop": result.stop if result else "",
            "detail": result.detail if result else "",
            "proposer": self.mended.proposer,
            "baseline": _counts(baseline),
            "attempts": [_attempt(attempt, self.diffs) for attempt in result.attempts] if result else [],
            "diff": self.diff,
            "tokens": result.usage.tokens if result else 0,
            "dollars": result.usage.dollars if result else 0.0,
            "seconds": dict(self.steps),
            "unmet": list(self.mended.base.recipe.unmet),
        }

    def lines(self) -> list[str]:
        """The same for a terminal, attempts first, the conclusion last."""
        result, baseline = self.mended.result, self.mended.baseline
        shown = [
            f"Baseline: {len(baseline.failing)} failing, {len(baseline.passing)} passing, {len(baseline.flaky)} flaky"
        ]
        shown += [f"  failing: {one_line(node_id)}" for node_id in baseline.failing_ids[:MAX_LISTED]]
        shown += [f"The sandbox lacks: {one_line(one)}" for one in self.mended.base.recipe.unmet[:MAX_LISTED]]
        if result is None:
            return [*shown, "Nothing to fix: all tests pass here. Regreen needs a red test to work from."]
        for attempt in result.attempts:
            change = attempt.comparison
            counts = f"{len(change.fixed)} fixed, {len(change.regressed)} regressed"
            what = attempt.proposal.explanation or attempt.proposal.detail if attempt.proposal else attempt.reason
            shown.append(
                f"Attempt {attempt.number}: {VERDICTS[attempt.verdict]} ({counts}): {one_line(what, MAX_SAID)}"
            )
            shown += [f"  passed before, fails now: {one_line(node_id)}" for node_id in change.regressed[:MAX_LISTED]]
        steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.steps)
        usage = result.usage
        shown.append(f"{result.stop}: {STOPS[result.stop]}. {one_line(result.detail)}".rstrip())
        shown.append(f"Proposed by {self.mended.proposer}; {usage.tokens} tokens, ${usage.dollars:.4f}; {steps}")
        return shown


def fix_local(base: Base, about: tuple[str, str], ports: LoopPorts, terms: Terms, steps: Steps) -> LocalReport:
    """Repair the red tests of a local tree. Raises `WorkspaceError`."""

    def choose(baseline: Baseline) -> tuple[str, ...]:
        return targets.for_issue(baseline.failing_ids, "\n".join(about))

    mended = mend(base, about, choose, ports, steps, terms)
    if mended.result is None:
        return LocalReport(LocalState.GREEN, mended, {}, tuple(steps.seconds.items()))
    proposed = {attempt.number: attempt.proposal.patch for attempt in mended.result.attempts if attempt.proposal}
    paths = tuple(sorted({path for patch in proposed.values() for path in patch.paths}))
    files = ports.workspace.read(base, paths) if paths else ()
    diffs = {number: unified(files, patch) for number, patch in proposed.items()}
    state = LocalState.SOLVED if mended.result.solution else LocalState.UNSOLVED
    return LocalReport(state, mended, diffs, tuple(steps.seconds.items()))


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """One line, whatever it holds: a test's name with a line break in it must not pass for a line of ours."""
    return plain(" ".join(text.split()), limit)


def _counts(baseline: Baseline) -> dict[str, Any]:
    return {
        "runs": baseline.runs,
        "failing": list(baseline.failing_ids),
        "passing": len(baseline.passing),
        "flaky": list(baseline.flaky),
        "skipped": len(baseline.skipped),
    }


def _attempt(attempt: Attempt, diffs: dict[int, str]) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "verdict": attempt.verdict,
        "explanation": attempt.proposal.explanation if attempt.proposal else "",
        "detail": attempt.proposal.detail if attempt.proposal else "",
        "reason": attempt.reason,
        "failure": attempt.failure,
        "tests": asdict(attempt.comparison),
        "reflection": asdict(attempt.reflection) if attempt.reflection else None,
        "diff": diffs.get(attempt.number, ""),
        "seconds": round(attempt.seconds, 3),
    }
