"""Whether a patch is right: the full tests over the patched tree, in a container of their own."""

from bench.loop.found import Stage
from bench.loop.tasks import BenchTask

from bot.repair.baseline import Kind, kind
from bot.repair.types import WHOLE_SUITE, FileChange, Patch
from sandbox.spec import RunState


def is_right(patch: Patch, least: int, task: BenchTask, stage: Stage) -> bool:
    """Whether the full tests pass: all of them, and at least as many as the arm itself saw.

    What the patch does to a file of the full tests does not count. Raises `WorkspaceError`.
    """
    (run,) = stage.ports.workspace.evaluate(stage.base, (laid_over(patch, task),), WHOLE_SUITE)
    ran = sum(kind(result.outcome) is not Kind.UNTESTED for result in run.results)
    return run.state is RunState.COMPLETE and not run.red and ran >= max(least, 1)


def laid_over(patch: Patch, task: BenchTask) -> Patch:
    """The patch with the full tests in place of whatever it does to them."""
    changes = {change.path: change for change in patch.changes if change.path not in task.full}
    changes |= {path: FileChange(path, file.data) for path, file in task.full.items() if _differs(path, task, patch)}
    return Patch(tuple(changes[path] for path in sorted(changes)))


def _differs(path: str, task: BenchTask, patch: Patch) -> bool:
    """Whether the file has to be laid over at all."""
    return path in patch.paths or path not in task.tree or task.tree[path].data != task.full[path].data
