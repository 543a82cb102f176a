"""What a patch must be, and what its tests must do, before it is believed."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field

from bot.repair import describe
from bot.repair.baseline import measure
from bot.repair.compare import compare, decide
from bot.repair.ports import Workspace
from bot.repair.protection import BY_NAME, Protection, protect
from bot.repair.tampering import added_sign, shadows
from bot.repair.types import WHOLE_SUITE, Base, Baseline, Comparison, FileChange, Patch, Selection, Task, Verdict
from sandbox.spec import RunState, TestRun

MAX_BYTES = 1 << 20
MAX_PATH = 1000
MAX_NAME = 255
MAX_SELECTED = 200
FAST_SUITE_SECONDS = 60.0


def refuse(
    patch: Patch, before: Mapping[str, bytes], base_paths: Collection[str], protection: Protection = BY_NAME
) -> str | None:
    """Why this patch may not even run, or `None`.

    `before` maps the patched paths that exist to their content, `base_paths` are the regular files of the base tree.
    What a path is on disk (a symlink) is for whoever reads the tree to refuse.
    """
    if not patch.changes:
        return "the patch is empty"
    if len(set(patch.paths)) < len(patch.paths):
        return "the patch names a file twice"
    for change in patch.changes:
        fault = (
            _bad_path(change.path, base_paths)
            or _bad_change(change, base_paths)
            or protection.fault(change.path)
            or _shadow(change.path, base_paths)
            or added_sign(change, before.get(change.path))
        )
        if fault:
            return f"{describe.one_line(repr(change.path), 200)} {fault}"
    return None


def before_of(workspace: Workspace, base: Base, patch: Patch, base_paths: Collection[str]) -> dict[str, bytes]:
    """What the patched files hold on the base tree. Raises `WorkspaceError`."""
    known = tuple(path for path in patch.paths if path in base_paths)
    return {file.path: file.data for file in workspace.read(base, known)} if known else {}


def _shadow(path: str, base_paths: Collection[str]) -> str | None:
    module = shadows(path, base_paths)
    return module and f"would be imported in place of the module {module}"


def _bad_change(change: FileChange, base_paths: Collection[str]) -> str | None:
    if change.content is None:
        return None if change.path in base_paths else "is to be deleted, but does not exist"
    if len(change.content) > MAX_BYTES:
        return f"is larger than {MAX_BYTES} bytes"
    return "is binary" if b"\0" in change.content else None


def _bad_path(path: str, base_paths: Collection[str]) -> str | None:
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or len(path) > MAX_PATH or max(map(len, parts)) > MAX_NAME:
        return "is no plain path"
    if any(part in {"", ".", ".."} for part in parts):
        return "leaves the tree or is not relative"
    if any(_means_git(part) for part in parts):
        return "is inside .git"
    if any("/".join(parts[:depth]) in base_paths for depth in range(1, len(parts))):
        return "is below something that is a file"
    if any(known.startswith(f"{path}/") for known in base_paths):
        return "is a directory"
    return None


def _means_git(name: str) -> bool:
    """Whether some file system takes this name for `.git`: blanks and dots at the end, streams, the short name."""
    return name.partition(":")[0].strip().rstrip(". ").casefold() in {".git", "git~1"}


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


def verify(
    workspace: Workspace, task: Task, baseline: Baseline, patch: Patch, fast: float = FAST_SUITE_SECONDS
) -> GateVerdict:
    """Run a patch: the targets, then the whole suite, then, if that solves the task, the suite once more, fresh.

    The first step is left out where the targets are the suite, or too many to name. A suite slower than `fast` seconds
    runs whole only for a patch that fixed a target. Stops at the first run that cannot be believed. Raises what
    `Workspace.evaluate` raises.
    """
    trials: list[Trial] = []
    verdict = Verdict.NOT_FIXED
    for trial in _trials(workspace, task, baseline, patch):
        trials.append(trial)
        if trial.run.state is not RunState.COMPLETE:
            return _conclude(Verdict.INVALID_RUN, task, trials)
        verdict = decide(trial.comparison, task.targets)
        slow = trial.scope == "targets" and baseline.suite_seconds > fast and not trial.comparison.fixed
        if slow or (trial.scope == "suite" and verdict is not Verdict.SOLVED):
            break
    return _conclude(verdict, task, trials)


def _trials(workspace: Workspace, task: Task, baseline: Baseline, patch: Patch) -> Iterator[Trial]:
    everything = {*baseline.failing_ids, *baseline.passing, *baseline.skipped, *baseline.flaky}
    if set(task.targets) != everything and 0 < len(task.targets) <= MAX_SELECTED:
        (run,) = workspace.evaluate(task.base, (patch,), Selection(task.targets))
        yield Trial("targets", run, compare(baseline, run, only=task.targets))
    for scope in ("suite", "confirmation"):
        (run,) = workspace.evaluate(task.base, (patch,), WHOLE_SUITE)
        yield Trial(scope, run, compare(baseline, run))


def _conclude(verdict: Verdict, task: Task, trials: list[Trial]) -> GateVerdict:
    believable = [trial.comparison for trial in trials if trial.run.state is RunState.COMPLETE]
    comparison = believable[-1] if believable else Comparison()
    return GateVerdict(verdict, _reason(verdict, task, trials), comparison, tuple(trials))


def _reason(verdict: Verdict, task: Task, trials: list[Trial]) -> str:
    last = trials[-1]
    fixed = len(set(task.targets) & set(last.comparison.fixed))
    figures = f"{fixed} of {describe.count(len(task.targets), 'target')} fixed"
    match verdict:
        case Verdict.INVALID_RUN:
            return describe.cause(last.run)
        case Verdict.SOLVED:
            return f"{figures}, nothing broke, in two fresh containers"
        case Verdict.REGRESSED:
            text = f"{figures}, but {_what_broke(last.comparison)}"
        case _:
            text = figures if task.targets else "no test fails on the base, so nothing shows what this patch fixes"
    unstable = last.scope == "confirmation"
    return f"{text}; the run before it, on the same code, was green" if unstable else text


def _what_broke(comparison: Comparison) -> str:
    groups = (
        (comparison.regressed, "passed before and does not pass now", "passed before and do not pass now"),
        (comparison.new_failing, "fails and was not failing before", "fail and were not failing before"),
        (comparison.missing, "is gone", "are gone"),
    )
    return "; ".join(f"{describe.some(ids)} {one if len(ids) == 1 else many}" for ids, one, many in groups if ids)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's answer on a given patch: a refusal, or what its tests did against the baseline."""

    baseline: Baseline
    reason: str
    passed: bool = False
    refused: bool = False
    comparison: Comparison = field(default_factory=Comparison)
    runs: int = 0

    def as_json(self) -> dict[str, object]:
        """Plain JSON values, ids by class, counts of the baseline."""
        return {
            "passed": self.passed,
            "reason": self.reason,
            "refused": self.refused,
            "baseline": {
                "runs": self.baseline.runs,
                "failing": list(self.baseline.failing_ids),
                "passing": len(self.baseline.passing),
                "flaky": list(self.baseline.flaky),
                "skipped": len(self.baseline.skipped),
            },
            "comparison": {name: list(ids) for name, ids in asdict(self.comparison).items()},
            "runs": self.runs,
        }


def judge(
    workspace: Workspace,
    base: Base,
    patch: Patch,
    targets: tuple[str, ...] = (),
    protected: tuple[str, ...] = (),
) -> Judgement:
    """Judge a patch against a baseline of two runs; without `targets`, every failing test must be fixed.

    `protected` are gitignore patterns on top of the built-in ones. Raises what `measure` and `evaluate` raise.
    """
    baseline = measure(workspace, base)
    known = workspace.paths(base)
    paths = frozenset(known)
    protection = protect(workspace, base, known, baseline, protected)
    refusal = refuse(patch, before_of(workspace, base, patch, paths), paths, protection)
    if refusal:
        return Judgement(baseline, refusal, refused=True, runs=baseline.runs)
    task = Task(base, "", "", targets or baseline.failing_ids)
    result = verify(workspace, task, baseline, patch)
    runs = baseline.runs + len(result.trials)
    return Judgement(baseline, result.reason, passed=result.passed, comparison=result.comparison, runs=runs)
