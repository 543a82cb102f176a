"""What patches do to the tests: a verdict for each, several of them in one evaluation for each scope."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.repair import describe
from bot.repair.compare import compare, decide
from bot.repair.ports import Workspace
from bot.repair.types import WHOLE_SUITE, Baseline, Comparison, Patch, Selection, Task, Verdict
from sandbox.spec import RunState, TestRun

MAX_SELECTED = 200
FAST_SUITE_SECONDS = 60.0
TARGETS, SUITE, CONFIRMATION = "targets", "suite", "confirmation"


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a patch; `scope` is targets, suite or confirmation."""

    scope: str
    run: TestRun
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What the tests say of a patch. `comparison` is that of the widest believable run, `trials` every run in order."""

    verdict: Verdict
    reason: str
    comparison: Comparison
    trials: tuple[Trial, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the patch may be believed."""
        return self.verdict is Verdict.SOLVED


@dataclass(slots=True)
class _Course:
    """One patch on its way through the scopes."""

    patch: Patch
    verdict: Verdict = Verdict.NOT_FIXED
    trials: list[Trial] = field(default_factory=list)
    ended: bool = False


def verify(
    workspace: Workspace,
    task: Task,
    baseline: Baseline,
    patches: Sequence[Patch],
    fast: float = FAST_SUITE_SECONDS,
) -> tuple[GateVerdict, ...]:
    """Run each patch: the targets, then the whole suite, then, if that solves the task, the suite once more, fresh.

    Those that are still in question share one `Workspace.evaluate` call for each scope; verdicts come in the order of
    `patches`. The first scope is left out where the targets are the suite, or too many to name. A suite slower than
    `fast` seconds runs whole only for a patch that fixed a target. A patch is out at its first run that cannot be
    believed. Raises what `Workspace.evaluate` raises.
    """
    courses = [_Course(patch) for patch in patches]
    for scope in _scopes(task, baseline):
        running = [course for course in courses if not course.ended]
        if not running:
            break
        selection = Selection(task.targets) if scope == TARGETS else WHOLE_SUITE
        runs = workspace.evaluate(task.base, tuple(course.patch for course in running), selection)
        for course, run in zip(running, runs, strict=True):
            only = task.targets if scope == TARGETS else None
            _judge(course, Trial(scope, run, compare(baseline, run, only)), task, slow=baseline.suite_seconds > fast)
    return tuple(_conclude(course, task) for course in courses)


def _scopes(task: Task, baseline: Baseline) -> tuple[str, ...]:
    everything = {*baseline.failing_ids, *baseline.passing, *baseline.skipped, *baseline.flaky}
    if set(task.targets) != everything and 0 < len(task.targets) <= MAX_SELECTED:
        return TARGETS, SUITE, CONFIRMATION
    return SUITE, CONFIRMATION


def _judge(course: _Course, trial: Trial, task: Task, *, slow: bool) -> None:
    course.trials.append(trial)
    if trial.run.state is not RunState.COMPLETE:
        course.verdict, course.ended = Verdict.INVALID_RUN, True
        return
    course.verdict = decide(trial.comparison, task.targets)
    hopeless = trial.scope == TARGETS and slow and not trial.comparison.fixed
    course.ended = hopeless or (trial.scope == SUITE and course.verdict is not Verdict.SOLVED)


def _conclude(course: _Course, task: Task) -> GateVerdict:
    believable = [trial.comparison for trial in course.trials if trial.run.state is RunState.COMPLETE]
    comparison = believable[-1] if believable else Comparison()
    return GateVerdict(course.verdict, _reason(course, task), comparison, tuple(course.trials))


def _reason(course: _Course, task: Task) -> str:
    last = course.trials[-1]
    fixed = len(set(task.targets) & set(last.comparison.fixed))
    figures = f"{fixed} of {describe.count(len(task.targets), 'target')} fixed"
    match course.verdict:
        case Verdict.INVALID_RUN:
            return describe.cause(last.run)
        case Verdict.SOLVED:
            return f"{figures}, nothing broke, in two fresh containers"
        case Verdict.REGRESSED:
            text = f"{figures}, but {_what_broke(last.comparison)}"
        case _:
            text = figures if task.targets else "no test fails on the base, so nothing shows what this patch fixes"
    unstable = last.scope == CONFIRMATION
    return f"{text}; the run before it, on the same code, was green" if unstable else text


def _what_broke(comparison: Comparison) -> str:
    groups = (
        (comparison.regressed, "passed before and does not pass now", "passed before and do not pass now"),
        (comparison.new_failing, "fails and was not failing before", "fail and were not failing before"),
        (comparison.missing, "is gone", "are gone"),
    )
    return "; ".join(f"{describe.some(ids)} {one if len(ids) == 1 else many}" for ids, one, many in groups if ids)
