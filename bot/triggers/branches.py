"""Which branches the policy names."""

import fnmatch
import re
from collections.abc import Sequence
from functools import cache

from bot.events import CommitChecked
from bot.policy import RepoPolicy


def named(event: CommitChecked, policy: RepoPolicy) -> str:
    """The branch of a checked commit that the policy names, its default one first; empty for none."""
    default = event.repository.default_branch
    names = event.branches or (event.head_branch,)
    if not policy.branches:
        return default if default in names else ""
    covered = [name for name in names if name and any(matches(glob, name) for glob in policy.branches)]
    return default if default in covered else next(iter(covered), "")


def matches(glob: str, branch: str) -> bool:
    """Whether a glob means this branch: `*` stays between two slashes, `**` does not, and `main` is `main` alone.

    Segment by segment over a set of positions, so that no glob can make one wait.
    """
    parts = branch.split("/")
    reached = {0}
    for segment in _segments(glob):
        if segment is None:
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and segment.match(parts[at])}
        if not reached:
            return False
    return len(parts) in reached


@cache
def _segments(glob: str) -> Sequence[re.Pattern[str] | None]:
    return [None if part == "**" else re.compile(fnmatch.translate(part)) for part in glob.split("/")]
