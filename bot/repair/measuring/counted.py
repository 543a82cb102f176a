"""A workspace that says in the journal what it ran: every run costs, also those that only repeat another."""

from dataclasses import dataclass

from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.ports import Journal, Workspace
from bot.repair.types import Base, Patch, Screening, Selection, SourceFile
from sandbox.spec import TestRun

MAX_IDS = 200


@dataclass(frozen=True, slots=True)
class CountedRuns:
    """A `Workspace`; each `evaluate` becomes an event `evaluated` with the runs of its batch.

    `base` and `patched` are how many of them were on the tree as it is and with a patch, `selected` the node ids, none
    for the whole suite, `seconds` what each container took.
    """

    workspace: Workspace
    journal: Journal

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        """As the workspace does."""
        runs = self.workspace.evaluate(base, patches, selection)
        patched = sum(bool(patch.changes) for patch in patches)
        fields = {
            "base": len(patches) - patched,
            "patched": patched,
            "selected": list(selection.node_ids[:MAX_IDS]),
            "seed": selection.seed,
            "seconds": [round(run.seconds, 3) for run in runs],
        }
        self.journal.append("evaluated", fields)
        return runs

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        """As the workspace does."""
        return self.workspace.screen(base, patches, selection)

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        """As the workspace does."""
        return self.workspace.coverage(base, patch, selection)

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        """As the workspace does."""
        return self.workspace.trace(base, patch, node_id, probes)

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        """As the workspace does."""
        return self.workspace.read(base, paths)

    def paths(self, base: Base) -> tuple[str, ...]:
        """As the workspace does."""
        return self.workspace.paths(base)

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        """As the workspace does."""
        return self.workspace.links(base)
