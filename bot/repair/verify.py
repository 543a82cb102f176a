"""What patches do to the tests: a verdict for each, several of them in one evaluation for each scope."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.repair import describe
from bot.repair.integrity.prove import prove
from bot.repair.measuring.baseline import set_aside
from bot.repair.measuring.compare import compare, decide
from bot.repair.measuring.flake import Flake
from bot.repair.measuring.flaky import confirm, doubted
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
    """What the tests say of a patch. `comparison` is that of the widest believable run, `trials` every run in order.

    `flakes` are the tests that turned out to be flaky on the way.
    """

    verdict: Verdict
    reason: str
    comparison: Comparison
    trials: tuple[Trial, ...] = ()
    flakes: tuple[Flake, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the patch may be believed."""
        return self.verdict is Verdict.SOLVED


@dataclass(slots=True)
class _Course:
    """One patch on its way through the scopes; `doubt` says why a green one is not believed.

    `unsure` are targets that it turns green now and then only.
    """

    patch: Patch
    verdict: Verdict = Verdict.NOT_FIXED
    trials: list[Trial] = field(default_factory=list)
    flakes: tuple[Flake, ...] = ()
    unsure: tuple[str, ...] = ()
    doubt: str = ""
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
    believed. What it seems to break counts only as far as isolated reruns confirm it; a patch that passes has to hold
    in reruns of its targets, some of which may turn out to be flaky, and to be proven, else it is rejected. A target
    that it turns green now and then only is not fixed. Raises what `Workspace.evaluate` raises.
    """
    court = _Court(workspace, task, baseline, fast)
    courses = [_Course(patch) for patch in patches]
    for scope in _scopes(task, baseline):
        running = [course for course in courses if not course.ended]
        if not running:
            break
        selection = Selection(task.targets) if scope == TARGETS else WHOLE_SUITE
        runs = workspace.evaluate(task.base, tuple(course.patch for course in running), selection)
        for course, run in zip(running, runs, strict=True):
            court.judge(course, scope, run)
    for course in courses:
        if course.verdict is Verdict.SOLVED:
            court.doubt(course)
    return tuple(_conclude(course, task) for course in courses)


def _scopes(task: Task, baseline: Baseline) -> tuple[str, ...]:
    everything = {*baseline.failing_ids, *baseline.passing, *baseline.skipped, *baseline.flaky}
    if set(task.targets) != everything and 0 < len(task.targets) <= MAX_SELECTED:
        return TARGETS, SUITE, CONFIRMATION
    return SUITE, CONFIRMATION


@dataclass(frozen=True, slots=True)
class _Court:
    """What every patch of a batch is judged by."""

    workspace: Workspace
    task: Task
    baseline: Baseline
    fast: float

    def judge(self, course: _Course, scope: str, run: TestRun) -> None:
        """Take one run in; the course ends where no further one can help."""
        targets = self.task.targets
        comparison = compare(self.baseline, run, targets if scope == TARGETS else None)
        if run.state is not RunState.COMPLETE:
            course.trials.append(Trial(scope, run, comparison))
            course.verdict, course.ended = Verdict.INVALID_RUN, True
            return
        comparison = self._confirmed(course, comparison)
        course.trials.append(Trial(scope, run, comparison))
        course.verdict = decide(comparison, targets, unshown=self.task.asked.unshown)
        slow = self.baseline.suite_seconds > self.fast
        hopeless = scope == TARGETS and slow and not comparison.fixed
        course.ended = hopeless or (scope == SUITE and course.verdict is not Verdict.SOLVED)

    def _confirmed(self, course: _Course, comparison: Comparison) -> Comparison:
        """The comparison without what isolated reruns call flaky."""
        cleared = {flake.node_id for flake in course.flakes}
        seeming = comparison.regressed + comparison.new_failing
        suspected = tuple(node_id for node_id in seeming if node_id not in cleared)
        confirmed, flakes = confirm(
            self.workspace, self.task.base, course.patch, suspected, self.task.additions, self.baseline
        )
        course.flakes += flakes
        return replace(
            comparison,
            regressed=tuple(node_id for node_id in comparison.regressed if node_id in confirmed),
            new_failing=tuple(node_id for node_id in comparison.new_failing if node_id in confirmed),
        )

    def doubt(self, course: _Course) -> None:
        """Look for reasons not to believe a patch that passes: its targets first, then a proof that fails."""
        task, baseline = self.task, self.baseline
        while any(found := doubted(self.workspace, task, baseline, course.patch)):
            flakes, unsure = found
            course.flakes += flakes
            task, baseline = without(task, baseline, flakes)
            if unsure:
                _unsure(course, task, unsure)
                return
            if not task.targets:
                course.verdict = Verdict.NOT_FIXED
                course.doubt = f"every target is flaky: {flakes[0].node_id} {flakes[0].evidence}"
                return
        if reason := prove(self.workspace, task, baseline, course.patch):
            course.verdict, course.doubt = Verdict.REJECTED, reason


def _unsure(course: _Course, task: Task, unsure: Sequence[Flake]) -> None:
    """Give a patch that passed the verdict it has without the targets that it only fixes now and then."""
    course.unsure = tuple(one.node_id for one in unsure)
    fixed = len(task.targets) - len(course.unsure)
    course.verdict = Verdict.PARTIAL if fixed else Verdict.NOT_FIXED
    figures = f"{fixed} of {describe.count(len(task.targets), 'target')} fixed for sure"
    course.doubt = f"{figures}: {unsure[0].node_id} {unsure[0].evidence}"


def without(task: Task, baseline: Baseline, flakes: Sequence[Flake]) -> tuple[Task, Baseline]:
    """Task and baseline that know these to be flaky: they are no targets, and are held against no patch."""
    names = {flake.node_id for flake in flakes}
    kept = tuple(name for name in task.targets if name not in names)
    return replace(task, targets=kept), set_aside(baseline, flakes)


def _conclude(course: _Course, task: Task) -> GateVerdict:
    believable = [trial.comparison for trial in course.trials if trial.run.state is RunState.COMPLETE]
    comparison = believable[-1] if believable else Comparison()
    names = {*course.unsure, *(flake.node_id for flake in course.flakes)}
    fixed = tuple(name for name in comparison.fixed if name not in names)
    comparison = replace(comparison, fixed=fixed, still_failing=comparison.still_failing + course.unsure)
    reason = course.doubt or _reason(course, task)
    return GateVerdict(course.verdict, reason, comparison, tuple(course.trials), course.flakes)


def _reason(course: _Course, task: Task) -> str:
    last = course.trials[-1]
    fixed = len(set(task.targets) & set(last.comparison.fixed))
    figures = (
        "not shown by any test"
        if task.asked.unshown
        else f"{fixed} of {describe.count(len(task.targets), 'target')} fixed"
    )
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
