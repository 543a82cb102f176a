"""What a person should know of a repair beside its tests: what its fix might be up to, and which tests look wrong."""

from dataclasses import dataclass, replace

from bot.errors import WorkspaceError
from bot.repair.gate import before_of
from bot.repair.integrity.doubts import doubts
from bot.repair.integrity.flags import flags
from bot.repair.integrity.suites import suites
from bot.repair.ports import Workspace
from bot.repair.types import Baseline, Patch, RepairResult, Task

MAX_SOURCES = 20


@dataclass(frozen=True, slots=True)
class Remarks:
    """Sentences: `flags` are of the solution's patch, any makes a draft of its pull request; `doubts` are of tests."""

    flags: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def remarks(workspace: Workspace, task: Task, result: RepairResult) -> Remarks:
    """Read again what was patched and what judged it.

    Where that cannot be read any more the solution stands, but flagged: nobody has looked for what it is up to.
    """
    try:
        return _remarks(workspace, task, result)
    except WorkspaceError as error:
        said = f"what is remarkable about this fix could not be worked out: {error.cause}"
        return Remarks(flags=(said,)) if result.solution else Remarks()


def _remarks(workspace: Workspace, task: Task, result: RepairResult) -> Remarks:
    tests = suites(workspace, task)
    known = frozenset(workspace.paths(task.base))
    patches = [attempt.proposal.patch for attempt in result.attempts if attempt.proposal]
    paths = tuple(dict.fromkeys(path for patch in patches for path in patch.paths if path in known))[:MAX_SOURCES]
    sources = workspace.read(task.base, paths) if paths else ()
    said = doubts(tests.files, sources, task.text, _of_targets(result.baseline, task), result.attempts)
    solution = result.solution.proposal.patch if result.solution and result.solution.proposal else Patch()
    found = flags(solution, before_of(workspace, task.base, solution, known), tests)
    return Remarks(tuple(map(str, found)), said)


def _of_targets(baseline: Baseline, task: Task) -> Baseline:
    return replace(baseline, failing=tuple(red for red in baseline.failing if red.node_id in task.targets))
