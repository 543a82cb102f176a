"""`regreen fix PATH`: the same path without GitHub, with results for people and machines."""

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from bot.pipeline import targets
from bot.pipeline.aim import writing
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.mend import Mended, Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.reports.diff import of_attempts
from bot.pipeline.reports.markdown import plain
from bot.pipeline.reports.report import judged, stopped
from bot.pipeline.steps import Steps
from bot.repair.difftext import unified
from bot.repair.reproduction.additions import merged
from bot.repair.types import Attempt, Base, Baseline, Patch

MAX_LISTED = 20
MAX_SAID = 300
MAX_LINE = 2000
NO_ISSUE = ("Failing tests", "")
"""What a repair is about where nobody reported anything: no test is written for that."""
NEW_TEST = "reported"


class LocalState(StrEnum):
    """How a local fix ended."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    NOT_REPRODUCED = "not_reproduced"
    GREEN = "green"


@dataclass(frozen=True, slots=True)
class LocalReport:
    """How a local fix ended. `diffs` maps attempt numbers to unified diffs, `steps` names to seconds."""

    state: LocalState
    mended: Mended
    diffs: dict[int, str]
    steps: tuple[tuple[str, float], ...]

    @property
    def good(self) -> bool:
        """Whether there is nothing left to fix."""
        return self.state in {LocalState.SOLVED, LocalState.GREEN}

    @property
    def patch(self) -> Patch | None:
        """The solution's patch, with the test that was written for it."""
        solution = self.mended.result.solution if self.mended.result else None
        found = self.mended.found
        if solution is None or solution.proposal is None:
            return None
        return merged(solution.proposal.patch, found.additions) if found else solution.proposal.patch

    @property
    def diff(self) -> str:
        """The solution as a unified diff, with the test that was written for it; empty without one."""
        solution = self.mended.result.solution if self.mended.result else None
        found = self.mended.found
        if solution is None:
            return ""
        return self.diffs.get(solution.number, "") + (unified({}, found.additions) if found else "")

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
            "written_test": _written(self.mended),
            "flags": list(self.mended.remarks.flags),
            "doubts": list(self.mended.remarks.doubts),
            "tokens": self.mended.usage.tokens,
            "dollars": self.mended.usage.dollars,
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
        shown += _about_test(self.mended)
        if result is None and self.state is LocalState.GREEN:
            return [*shown, "Nothing to fix: all tests pass here. Regreen needs a red test to work from."]
        if result is None:
            return [*shown, "Could not reproduce: no test could be written that shows what is reported."]
        for attempt in result.attempts:
            change = attempt.comparison
            counts = f"{len(change.fixed)} fixed, {len(change.regressed)} regressed"
            what = attempt.proposal.explanation or attempt.proposal.detail if attempt.proposal else attempt.reason
            shown.append(f"Attempt {attempt.number}: {judged(attempt.verdict)} ({counts}): {one_line(what, MAX_SAID)}")
            shown += [f"  passed before, fails now: {one_line(node_id)}" for node_id in change.regressed[:MAX_LISTED]]
        shown += [f"Flagged: {one_line(flag)}" for flag in self.mended.remarks.flags[:MAX_LISTED]]
        shown += [one_line(doubt) for doubt in self.mended.remarks.doubts[:MAX_LISTED]]
        steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.steps)
        usage = self.mended.usage
        shown.append(f"{result.stop}: {stopped(result.stop)}. {one_line(result.detail)}".rstrip())
        shown.append(f"Proposed by {self.mended.proposer}; {usage.tokens} tokens, ${usage.dollars:.4f}; {steps}")
        return shown


def fix_local(base: Base, about: tuple[str, str], ports: LoopPorts, terms: Terms, steps: Steps) -> LocalReport:
    """Repair the red tests of a local tree, or what `about` reports, if a model can show it by a test.

    Raises `WorkspaceError`, `ModelError`.
    """
    text = "\n".join(about)
    writes = about != NO_ISSUE and ports.models.tester is not None

    def choose(baseline: Baseline) -> tuple[str, ...]:
        chosen = targets.named if writes else targets.for_issue
        return chosen(baseline.failing_ids, text)

    if writes:
        terms = replace(terms, writing=writing(NEW_TEST, text))
    mended = mend_logged(base, about, choose, ports, steps, terms)
    if mended.result is None:
        state = LocalState.GREEN if mended.found is None else LocalState.NOT_REPRODUCED
        return LocalReport(state, mended, {}, tuple(steps.seconds.items()))
    diffs = of_attempts(ports.workspace, base, mended.result.attempts)
    state = LocalState.SOLVED if mended.result.solution else LocalState.UNSOLVED
    return LocalReport(state, mended, diffs, tuple(steps.seconds.items()))


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """One line, whatever it holds: a test's name with a line break in it must not pass for a line of ours."""
    return plain(" ".join(text.split()), limit)


def _written(mended: Mended) -> dict[str, Any] | None:
    found = mended.found
    if found is None:
        return None
    test = found.test
    told = {"path": test.path, "prediction": test.prediction, "author": test.author} if test else {}
    stopped = found.stopped.cause if found.stopped else ""
    return {**told, "counts": test is not None, "tried": list(found.tried), "stopped": stopped}


def _about_test(mended: Mended) -> list[str]:
    found = mended.found
    if found is None:
        return []
    lines = [f"  a test that did not count: {one_line(reason, MAX_SAID)}" for reason in found.tried]
    if found.test is not None:
        lines.append(f"New test {one_line(found.test.path)}: fails with {one_line(found.test.prediction, MAX_SAID)}")
    if found.stopped is not None:
        lines.append(f"  the tester could not go on: {one_line(found.stopped.cause, MAX_SAID)}")
    return lines


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
        "round": attempt.round,
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
