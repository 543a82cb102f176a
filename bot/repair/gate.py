"""What a patch must be, and what its tests must do, before it is believed."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field

from bot.repair import describe
from bot.repair.editing.sourcetext import is_wide
from bot.repair.integrity.flags import flags
from bot.repair.integrity.suites import NO_SUITES, Suites, suites
from bot.repair.integrity.tables import read_by_tests
from bot.repair.integrity.tampering import added_sign, shadows
from bot.repair.measuring.baseline import measure
from bot.repair.ports import Workspace
from bot.repair.protection import BY_NAME, Protection, protect
from bot.repair.sources.doctests import altered
from bot.repair.sources.stored import is_pointer
from bot.repair.types import Base, Baseline, Comparison, FileChange, Patch, Task
from bot.repair.verify import verify

MAX_BYTES = 1 << 20
MAX_PATH = 1000
MAX_NAME = 255


def refuse(
    patch: Patch,
    before: Mapping[str, bytes],
    base_paths: Collection[str],
    protection: Protection = BY_NAME,
    tests: Suites = NO_SUITES,
) -> str | None:
    """Why this patch may not even run, or `None`.

    `before` maps the patched paths that exist to their content, `base_paths` are the regular files of the base tree,
    `tests` what the targets are in: without them no copied answer is recognised. Its symlinks are in `protection`.
    """
    if not patch.changes:
        return "the patch is empty"
    if len(set(patch.paths)) < len(patch.paths):
        return "the patch names a file twice"
    taken = {*base_paths, *protection.links}
    for change in patch.changes:
        fault = (
            _bad_path(change.path, taken)
            or _bad_change(change, before.get(change.path, b""), base_paths)
            or protection.fault(change.path)
            or _shadow(change.path, base_paths)
            or read_by_tests(change.path, base_paths, tests.files)
            or added_sign(change, before.get(change.path))
            or (change.path in protection.examples and altered(before.get(change.path, b""), change.content))
        )
        if fault:
            return f"{describe.one_line(repr(change.path), 200)} {fault}"
    return next((str(flag) for flag in flags(patch, before, tests) if flag.refuses), None)


def before_of(workspace: Workspace, base: Base, patch: Patch, base_paths: Collection[str]) -> dict[str, bytes]:
    """What the patched files hold on the base tree. Raises `WorkspaceError`."""
    known = tuple(path for path in patch.paths if path in base_paths)
    return {file.path: file.data for file in workspace.read(base, known)} if known else {}


def _shadow(path: str, base_paths: Collection[str]) -> str | None:
    module = shadows(path, base_paths)
    return module and f"would be imported in place of the module {module}"


def _bad_change(change: FileChange, before: bytes, base_paths: Collection[str]) -> str | None:
    if is_pointer(before):
        return "is a pointer to what Git LFS keeps: its content is not here"
    if change.content is None:
        return None if change.path in base_paths else "is to be deleted, but does not exist"
    if len(change.content) > MAX_BYTES:
        return f"is larger than {MAX_BYTES} bytes"
    # A file that is in UTF-16 may stay so; none becomes so, since what looks for cheats reads other encodings.
    return "is binary" if b"\0" in change.content and not is_wide(before, change.content) else None


def _bad_path(path: str, taken: Collection[str]) -> str | None:
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or len(path) > MAX_PATH or max(map(len, parts)) > MAX_NAME:
        return "is no plain path"
    if any(part in {"", ".", ".."} for part in parts):
        return "leaves the tree or is not relative"
    if any(_means_git(part) for part in parts):
        return "is inside .git"
    if any("/".join(parts[:depth]) in taken for depth in range(1, len(parts))):
        return "is below something that is a file or a symlink"
    if any(known.startswith(f"{path}/") for known in taken):
        return "is a directory"
    return None


def _means_git(name: str) -> bool:
    """Whether some file system takes this name for `.git`: blanks and dots at the end, streams, the short name."""
    return name.partition(":")[0].strip().rstrip(". ").casefold() in {".git", "git~1"}


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
    """Judge a patch against a baseline; without `targets`, every failing test must be fixed.

    `protected` are gitignore patterns on top of the built-in ones. Raises what `measure` and `evaluate` raise.
    """
    baseline = measure(workspace, base)
    known = workspace.paths(base)
    paths = frozenset(known)
    protection = protect(workspace, base, known, baseline, protected)
    task = Task(base, "", "", targets or baseline.failing_ids)
    before = before_of(workspace, base, patch, paths)
    refusal = refuse(patch, before, paths, protection, suites(workspace, task))
    if refusal:
        return Judgement(baseline, refusal, refused=True, runs=baseline.runs)
    (result,) = verify(workspace, task, baseline, (patch,))
    runs = baseline.runs + len(result.trials)
    return Judgement(baseline, result.reason, passed=result.passed, comparison=result.comparison, runs=runs)
