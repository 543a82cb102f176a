"""What the base tree and its tests say of a task: what was read, what was seen to run, and whom that points at."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.repair.localisation.localise import Suspect, localise
from bot.repair.localisation.observed import Covered
from bot.repair.localisation.ochiai import ochiai
from bot.repair.localisation.pointed import leads, with_pointed
from bot.repair.localisation.reading import file_of, gather
from bot.repair.ports import Journal, Workspace
from bot.repair.protection import Protection, protect
from bot.repair.sources.languages import PYTHON
from bot.repair.types import Baseline, Selection, SourceFile, Task
from sandbox.spec import TestResult

MAX_RED = 40
MAX_NEAR = 200
MAX_LOGGED = 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """`failing` are the results of the task's targets, `files` what was read, `suspects` the most suspicious first."""

    known: tuple[str, ...]
    failing: tuple[TestResult, ...]
    files: dict[str, SourceFile]
    suspects: tuple[Suspect, ...]
    protection: Protection

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """What was read and may be edited."""
        return tuple(file for path, file in self.files.items() if self.protection.is_source(path))


class Investigation:
    """One for each run, shared by its proposers: a run of some tests and a few reads, taken once for each task.

    A replay takes the same steps again.
    """

    def __init__(self, workspace: Workspace, journal: Journal | None = None, protected: tuple[str, ...] = ()) -> None:
        """What was found is said in the journal; `protected` are the gitignore patterns of the policy."""
        self._workspace = workspace
        self._journal = journal
        self._protected = protected
        self._found: dict[Task, Evidence] = {}

    def look(self, task: Task, baseline: Baseline) -> Evidence:
        """What there is to know before anything is tried. Raises `WorkspaceError`."""
        if task not in self._found:
            self._found[task] = self._look(task, baseline)
        return self._found[task]

    def _look(self, task: Task, baseline: Baseline) -> Evidence:
        workspace, base = self._workspace, task.base
        failing = tuple(result for result in baseline.failing if result.node_id in set(task.targets))
        known = workspace.paths(base)
        protection = protect(workspace, base, known, baseline, self._protected)
        near = nearby(failing, baseline.passing)
        covered = workspace.coverage(base, task.additions, Selection(near)) if near else ()
        first = (*leads(task, known, protection), *_called(failing, covered, protection))
        files = gather(workspace, base, known, failing, protection, first)
        suspects = localise(failing, baseline.passing, files, protection, covered)
        suspects = with_pointed(task, files, suspects, protection)
        if self._journal is not None:
            top = [[one.path, one.qualified_name, round(one.score, 4), one.source] for one in suspects[:MAX_LOGGED]]
            # What it cost: one more run of so many tests.
            coverage = {"tests_run": len(near), "tests_seen": len(covered)}
            self._journal.append("localised", {"files": sorted(files), "suspects": top, "coverage": coverage})
        return Evidence(known, failing, files, suspects, protection)


def nearby(failing: Sequence[TestResult], passing: Sequence[str]) -> tuple[str, ...]:
    """The tests worth observing: the failing ones, and of those that pass what stands in the same files.

    At most 200, at most 40 of them failing; only Python's, since no others can be observed.
    """
    red = [result.node_id for result in failing if file_of(result.node_id).endswith(PYTHON)][:MAX_RED]
    files = {file_of(node_id) for node_id in red}
    green = [node_id for node_id in passing if file_of(node_id) in files]
    room = MAX_NEAR - len(red)
    # Spread over the files, since neighbours are alike.
    step = max(1, -(-len(green) // room))
    return tuple(dict.fromkeys([*red, *green[::step]]))


def _called(failing: Sequence[TestResult], covered: Sequence[Covered], protection: Protection) -> tuple[str, ...]:
    """The sources that the failing tests ran through, the most suspicious first."""
    scores = ochiai({result.node_id for result in failing}, covered)
    order = sorted(scores, key=lambda line: (-scores[line], line))
    return tuple(dict.fromkeys(path for path, _ in order if protection.is_source(path)))
