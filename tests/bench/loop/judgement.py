"""Whether a patch is right: the full tests over the patched tree, in containers of their own."""

from dataclasses import dataclass

from bench.loop.found import Stage
from bench.loop.tasks import BenchTask

from bot.repair.measuring.baseline import Kind, kind
from bot.repair.types import WHOLE_SUITE, Baseline, FileChange, Patch
from sandbox.spec import RunState, TestRun

AGAIN = 2
"""Further runs, with the patch and without, before a test counts as broken by it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether the full tests pass, and which of those that the arm saw pass the patch broke."""

    right: bool
    broken: tuple[str, ...]


def judge(patch: Patch, baseline: Baseline, task: BenchTask, stage: Stage) -> Judgement:
    """Run the full tests on the patch. What it does to a file of theirs does not count. Raises `WorkspaceError`.

    It is right if all pass, at least as many as the arm itself saw, and whatever the task says must pass.
    """
    judged = laid_over(patch, task)
    (run,) = stage.ports.workspace.evaluate(stage.base, (judged,), WHOLE_SUITE)
    green = _green(run)
    broken = tuple(node_id for node_id in baseline.passing if node_id not in green)
    if task.sound:
        return Judgement(green.issuperset(task.sound), _surely(broken, judged, task, stage))
    least = len(baseline.failing) + len(baseline.passing)
    right = run.state is RunState.COMPLETE and not run.red and len(green) >= max(least, 1)
    return Judgement(right, _surely(broken, judged, task, stage))


def _surely(suspected: tuple[str, ...], judged: Patch, task: BenchTask, stage: Stage) -> tuple[str, ...]:
    """Those that fail with the patch in every further run, and pass without it in each."""
    if not suspected:
        return ()
    patches = (judged,) * AGAIN + (laid_over(Patch(), task),) * AGAIN
    greens = [_green(run) for run in stage.ports.workspace.evaluate(stage.base, patches, WHOLE_SUITE)]
    return tuple(
        node_id
        for node_id in suspected
        if not any(node_id in green for green in greens[:AGAIN]) and all(node_id in green for green in greens[AGAIN:])
    )


def _green(run: TestRun) -> frozenset[str]:
    if run.state is not RunState.COMPLETE:
        return frozenset()
    return frozenset(node_id for node_id, outcome in run.outcomes.items() if kind(outcome) is Kind.GREEN)


def laid_over(patch: Patch, task: BenchTask) -> Patch:
    """The patch with the full tests in place of whatever it does to them."""
    changes = {change.path: change for change in patch.changes if change.path not in task.full}
    changes |= {path: FileChange(path, file.data) for path, file in task.full.items() if _differs(path, task, patch)}
    return Patch(tuple(changes[path] for path in sorted(changes)))


def _differs(path: str, task: BenchTask, patch: Patch) -> bool:
    """Whether the file has to be laid over at all."""
    return path in patch.paths or path not in task.tree or task.tree[path].data != task.full[path].data
