"""A workspace whose tests pass or fail by a rule that may be random, with and without a patch, alone or in company."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fakes_workspace import run_of

from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.types import Base, FileChange, Patch, Screening, Selection, SourceFile
from sandbox.spec import Outcome, TestRun

FIX = Patch((FileChange("calc.py", b"fixed"),))


@dataclass(frozen=True)
class Asked:
    """One test in one run."""

    node_id: str
    patched: bool
    whole: bool
    seed: int | None


@dataclass
class FlakyWorkspace:
    """Asks `passes` for each test of `ids` in each run, and remembers every call as (on base, with the patch, ids).

    Its runner can shuffle. `answers` are runs that are handed out first, as they are.
    """

    ids: Sequence[str]
    passes: Callable[[Asked], bool]
    answers: list[TestRun] = field(default_factory=list)
    seconds: float = 1.0
    calls: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)
    seeds: list[int | None] = field(default_factory=list)

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        del base
        with_fix = [self._patched(patch) for patch in patches]
        self.calls.append((with_fix.count(False), with_fix.count(True), selection.node_ids))
        self.seeds += [selection.seed] * len(patches)
        return tuple(self._run(patched, selection) for patched in with_fix)

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        return tuple(Screening(not run.red) for run in self.evaluate(base, patches, selection))

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        del base, patch, selection
        return ()

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        del base, patch, node_id, probes
        return ()

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        del base, paths
        return ()

    def paths(self, base: Base) -> tuple[str, ...]:
        del base
        return ()

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        del base
        return ()

    @property
    def runs(self) -> int:
        return sum(on_base + patched for on_base, patched, _ in self.calls)

    def _patched(self, patch: Patch) -> bool:
        return set(FIX.changes) <= set(patch.changes)

    def _run(self, patched: bool, selection: Selection) -> TestRun:  # noqa: FBT001 (which tree it is)
        if self.answers:
            return self.answers.pop(0)
        wanted = selection.node_ids
        told = {
            node_id: Asked(node_id, patched, not wanted, selection.seed)
            for node_id in self.ids
            if not wanted or node_id in wanted
        }
        outcomes = {key: Outcome.PASSED if self.passes(asked) else Outcome.FAILED for key, asked in told.items()}
        return replace(run_of(outcomes, self.seconds), seed=selection.seed)
