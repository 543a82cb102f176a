"""The attempts' patches as unified diffs."""

from collections.abc import Iterable

from bot.repair.difftext import unified
from bot.repair.ports import Workspace
from bot.repair.types import Attempt, Base


def of_attempts(workspace: Workspace, base: Base, attempts: Iterable[Attempt]) -> dict[int, str]:
    """The numbers of the attempts that have a patch, with that as a diff. Raises `WorkspaceError`."""
    proposed = {attempt.number: attempt.proposal.patch for attempt in attempts if attempt.proposal}
    paths = tuple(sorted({path for patch in proposed.values() for path in patch.paths}))
    before = {file.path: file.data for file in workspace.read(base, paths)} if paths else {}
    return {number: unified(before, patch) for number, patch in proposed.items()}
