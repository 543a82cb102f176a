"""New test files under every patch: the one place where they are laid over the tree, so that nobody can forget them."""

from dataclasses import dataclass

from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.ports import Workspace
from bot.repair.types import Base, Patch, Screening, Selection, SourceFile
from sandbox.spec import TestRun


def merged(patch: Patch, additions: Patch) -> Patch:
    """Both at once; what was added stays as it is, whatever the patch says of it. Merging twice changes nothing."""
    held = frozenset(additions.paths)
    kept = (change for change in patch.changes if change.path not in held)
    return Patch(tuple(sorted((*kept, *additions.changes), key=lambda change: change.path)))


def laid_under(patch: Patch, additions: Patch) -> Patch:
    """The additions below a patch that may change them, as the gate's canaries do; what it deletes stays."""
    changed = Patch(tuple(change for change in patch.changes if change.content is not None))
    named = frozenset(changed.paths)
    return merged(patch, Patch(tuple(change for change in additions.changes if change.path not in named)))


@dataclass(frozen=True, slots=True)
class AddedTests:
    """A `Workspace` whose base tree has the additions in it: every run, and whoever reads or lists the tree, sees them.

    No path of `additions` may exist in the base tree; all of them have content. That a proposal leaves them alone is
    the gate's to see to: to it they are tests of the tree like all others.
    """

    workspace: Workspace
    additions: Patch

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        """As the workspace does, every patch with the additions."""
        return self.workspace.evaluate(base, self._over(patches), selection)

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        """As the workspace does, every patch with the additions."""
        return self.workspace.screen(base, self._over(patches), selection)

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        """As the workspace does, with the additions."""
        return self.workspace.coverage(base, laid_under(patch, self.additions), selection)

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        """As the workspace does, with the additions."""
        return self.workspace.trace(base, laid_under(patch, self.additions), node_id, probes)

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        """The files at these paths in their order, additions among them."""
        added = {change.path: change.content or b"" for change in self.additions.changes}
        wanted = tuple(path for path in paths if path not in added)
        found = {file.path: file for file in self.workspace.read(base, wanted)} if wanted else {}
        found |= {path: SourceFile(path, data) for path, data in added.items()}
        return tuple(found[path] for path in paths if path in found)

    def paths(self, base: Base) -> tuple[str, ...]:
        """Every regular file of the tree, additions among them, sorted."""
        return tuple(sorted({*self.workspace.paths(base), *self.additions.paths}))

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        """Every symlink of the base tree: additions are none."""
        return self.workspace.links(base)

    def _over(self, patches: tuple[Patch, ...]) -> tuple[Patch, ...]:
        return tuple(laid_under(patch, self.additions) for patch in patches)
