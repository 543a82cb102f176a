"""The last look before a commit: what it changes, whoever proposed it. What was refused as a proposal stays refused.

The loop keeps the built-in rules and the policy's from the first proposal on; here they bind every commit that any part
of the pipeline makes, follow-ups and merged patches included. A rule that is kept twice is one that a mistake in
between cannot undo.
"""

from collections.abc import Iterator

from bot.errors import ForbiddenError
from bot.pipeline.admission.named import WORKFLOWS
from bot.pipeline.ports.github import GitHub, NewCommit
from bot.policy import PATH, RepoPolicy
from bot.repair.protection import BY_NAME
from bot.repair.sources.globs import Globs
from bot.repair.sources.stored import filtered, is_pointer
from bot.repair.types import FileChange

ATTRIBUTES = ".gitattributes"
MAX_SAID = 5


def require_allowed(new: NewCommit, policy: RepoPolicy, github: GitHub) -> None:
    """Raises `ForbiddenError` naming each path that this commit must not change, and why."""
    found = list(_faults(new, policy, github))
    if found:
        more = f" and {len(found) - MAX_SAID} more" if len(found) > MAX_SAID else ""
        raise ForbiddenError(
            f"the commit would change what it must not: {'; '.join(found[:MAX_SAID])}{more}",
            "Make this change by hand, or change `protected` in the policy file where it is that which forbids it.",
        )


def _faults(new: NewCommit, policy: RepoPolicy, github: GitHub) -> Iterator[str]:
    further = Globs.of(policy.protected)
    stored = filtered(github.file(ATTRIBUTES, new.parent))
    for change in new.patch.changes:
        fault = _by_rule(change.path, further) or _by_content(change, stored, new, github)
        if fault:
            yield f"{change.path} {fault}"


def _by_rule(path: str, further: Globs) -> str:
    if path == PATH or WORKFLOWS.cover(path.casefold()):
        return "is what CI runs, or who rules over it"
    return "is protected by the policy file" if further.cover(path) else ""


def _by_content(change: FileChange, stored: Globs, new: NewCommit, github: GitHub) -> str:
    if stored.cover(change.path):
        return "is kept in Git LFS, where its content would have to go"
    before = github.file(change.path, new.parent)
    if before is not None and is_pointer(before):
        return "is a pointer to what Git LFS keeps"
    # a test that was written for the job is a file of its own, or it would be a change of what is there
    if change.path in new.written and before is None:
        return ""
    return BY_NAME.fault(change.path) or ""
