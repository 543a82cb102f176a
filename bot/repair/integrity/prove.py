"""The two runs that a green patch must fail: tests that cannot pass, and its targets without it.

Sources: SWE-bench's fail-to-pass rule, turned round; canaries after the forged reports that LOOP.md counts.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bot.repair import describe
from bot.repair.integrity.fingerprint import tree_hash
from bot.repair.integrity.suites import Suites, suites
from bot.repair.integrity.twin import Twin
from bot.repair.integrity.twins import twin
from bot.repair.measuring.baseline import Kind, kind
from bot.repair.ports import Workspace
from bot.repair.types import WHOLE_SUITE, Baseline, FileChange, Patch, Selection, Task
from sandbox.spec import RunState, TestRun

MAX_TARGETS = 200
MAX_GUARDED = 5
_TOKEN = 10
# A run that was killed says nothing of its tests, and a test that has to fail may well hang where it would not.
_KILLED = frozenset({RunState.TIMEOUT, RunState.OOM, RunState.OUTPUT_LIMIT, RunState.UNBUILT})


def prove(workspace: Workspace, task: Task, baseline: Baseline, patch: Patch) -> str | None:
    """Why a green patch cannot be believed all the same; `None` when it can. Two fresh containers, in one batch.

    In the first, the patch meets its targets with other expectations, and a new test beside them: both must fail. In
    the second, the targets run without the patch, and with the tests that the task adds: they must fail again. Where
    no test shows what is asked, there is only the new test, beside some that pass. Raises what `Workspace.evaluate`
    raises.
    """
    if task.asked.unshown:
        return _unforged(workspace, task, baseline, patch)
    targets = task.targets[:MAX_TARGETS]
    canaries = tuple(_canaries(suites(workspace, task), task, baseline, patch))
    ids = tuple(dict.fromkeys((*targets, *(canary.fresh for canary in canaries))))
    reverted = _merged(task.additions, *(FileChange(canary.path, canary.twin.source) for canary in canaries))
    changes = (FileChange(canary.path, canary.twin.altered) for canary in canaries)
    altered = _merged(task.additions, *patch.changes, *changes)
    wanted = (reverted, altered) if canaries else (reverted,)
    without, *with_it = workspace.evaluate(task.base, wanted, Selection(ids))
    for run in with_it:
        if fault := _forged(run, without, canaries):
            return fault
    return _earned(workspace, task, without, targets, reverted)


@dataclass(frozen=True, slots=True)
class _Canary:
    """One test file's twin; `fresh` is the node id of its new test, `altered` those of the targets that must fail."""

    path: str
    twin: Twin
    fresh: str
    altered: tuple[str, ...]


def _unforged(workspace: Workspace, task: Task, baseline: Baseline, patch: Patch) -> str | None:
    """Why the green of tests that passed before as well is forged: a test among them that must fail does not."""
    ids = tuple({_file(node_id): node_id for node_id in baseline.passing}.values())[:MAX_GUARDED]
    beside = replace(task, targets=ids)
    canaries = tuple(_canaries(suites(workspace, beside), beside, baseline, patch))
    if not canaries:
        return None
    changes = tuple(FileChange(canary.path, canary.twin.source) for canary in canaries)
    trees = (_merged(task.additions, *changes), _merged(task.additions, *patch.changes, *changes))
    without, with_it = workspace.evaluate(task.base, trees, Selection(tuple(canary.fresh for canary in canaries)))
    return _forged(with_it, without, tuple(replace(canary, altered=()) for canary in canaries))


def _canaries(found: Suites, task: Task, baseline: Baseline, patch: Patch) -> Iterator[_Canary]:
    lines = {red.node_id: _line(red.node_id, baseline) for red in baseline.failing}
    token = _token(task, patch)
    for name, path in found.paths.items():
        source = found.sources.get(path)
        tests = _tests(name, task.targets[:MAX_TARGETS], lines)
        unittest = task.base.recipe.ecosystem == "unittest"
        made = twin(path, source, tests, token, unittest=unittest) if source is not None else None
        if made is not None:
            altered = tuple(f"{name}::{test}" for test in tests if test in made.tests)
            yield _Canary(path, made, f"{name}::{made.name}", altered)


def _token(task: Task, patch: Patch) -> str:
    """A word that no patch can hold, since it is a digest of the patch; the same whenever a log is replayed."""
    digest = hashlib.sha256(f"{task.base.commit}\0{tree_hash(patch)}".encode()).hexdigest()
    return f"t{digest[:_TOKEN]}"


def _tests(name: str, targets: tuple[str, ...], lines: Mapping[str, int]) -> dict[str, int]:
    prefix = f"{name}::"
    return {target.removeprefix(prefix): lines.get(target, 0) for target in targets if target.startswith(prefix)}


def _line(node_id: str, baseline: Baseline) -> int:
    """The line of the test's file where it failed on the base, 0 if that is not known."""
    file = _file(node_id)
    red = next(result for result in baseline.failing if result.node_id == node_id)
    return next((frame.line for frame in reversed(red.frames) if frame.path.endswith(file)), 0)


def _file(node_id: str) -> str:
    return node_id.partition("::")[0]


def _merged(under: Patch, *over: FileChange) -> Patch:
    changes = {change.path: change for change in (*under.changes, *over)}
    return Patch(tuple(changes[path] for path in sorted(changes)))


def _forged(run: TestRun, without: TestRun, canaries: tuple[_Canary, ...]) -> str | None:
    """Why results are forged; what ends alike with and without the patch is not the patch's doing."""
    if run.state in _KILLED or (run.state is not RunState.COMPLETE and run.state is without.state):
        return None
    if run.state is not RunState.COMPLETE:
        return f"beside tests that must fail, {describe.cause(run)}"
    outcomes, before = run.outcomes, without.outcomes
    green = tuple(
        node_id
        for canary in canaries
        for node_id in canary.altered
        if node_id in outcomes and kind(outcomes[node_id]) is Kind.GREEN
    )
    if green:
        return f"{describe.some(green)} passed although another result was expected there: what passed was not judged"
    for canary in canaries:
        seen = before.get(canary.fresh)
        if seen is not None and kind(seen) is Kind.RED:
            now = outcomes.get(canary.fresh)
            if now is None or kind(now) is not Kind.RED:
                return "a test that must fail did not fail beside this patch: its results are forged"
    return None


def _earned(
    workspace: Workspace, task: Task, without: TestRun, targets: tuple[str, ...], reverted: Patch
) -> str | None:
    """Why the targets' green is not the patch's; a test that fails only in company is run with the whole suite."""
    green = _not_red(without, targets)
    if green:
        (whole,) = workspace.evaluate(task.base, (reverted,), WHOLE_SUITE)
        green = _not_red(whole, green)
    if not green:
        return None
    return f"{describe.some(green)} passed without the patch, in a fresh container: it proves nothing"


def _not_red(run: TestRun, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Targets that passed or were not there; a run that cannot be believed without the patch was red as a whole."""
    if run.state is not RunState.COMPLETE:
        return ()
    outcomes = run.outcomes
    return tuple(target for target in targets if target not in outcomes or kind(outcomes[target]) is not Kind.RED)
