"""Bringing one of our branches up to its base: by a real merge, and said so where that cannot be done."""

import re
from dataclasses import dataclass

from bot.pipeline.checks_port import PullHead
from bot.pipeline.markdown import code
from bot.pipeline.ports import Ports
from bot.pipeline.threads import Wish
from bot.pipeline.threads_port import Merging

SHORT = 12
MAX_WORDS = 200
_WORDS = re.compile(
    r"\b(?:re-?base|merge\b(?!\s+(?:this|it)\b)|conflicts?|(?:update|sync)\s+(?:the|this|your)?\s*branch"
    r"|up[- ]to[- ]date|out[- ]of[- ]date|behind)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Synced:
    """The branch's head now and the commit where it left its base. `note` says what was done, or why not.

    `merged` says that a merge was made.
    """

    head: str
    parted: str
    note: str = ""
    merged: bool = False


def wants_base(wish: Wish) -> bool:
    """Whether people ask to have the base merged."""
    return bool(_WORDS.search(wish.body)) or any(_WORDS.search(one.text) for t in wish.wanted for one in t.said)


def wants_no_more(wish: Wish) -> bool:
    """Whether that is all that they ask for, as far as a short remark without threads can be read."""
    return not wish.wanted and len(wish.body) <= MAX_WORDS and bool(_WORDS.search(wish.body))


def sync(ports: Ports, pull: PullHead, *, wanted: bool, trailers: str) -> Synced:
    """Merge the base where that is `wanted` and the branch is behind. Never forces, never resolves a conflict.

    Raises `GitHubError`.
    """
    base, head = code(pull.base_branch), pull.head_sha
    distance = ports.checks.distance(pull.base_branch, head)
    if not distance.behind:
        return Synced(head, distance.parted, f"The branch holds all of {base} already." if wanted else "")
    behind = f"{distance.behind} commit{'s' * (distance.behind != 1)} behind {base}"
    if not wanted:
        return Synced(head, distance.parted, f"The branch is {behind}; ask for a merge of {base} to have it made.")
    message = f"Merge {pull.base_branch} into {pull.head_branch}{trailers}"
    merged = ports.branches.merge(pull.head_branch, pull.base_branch, message)
    if merged.how is Merging.CONFLICT:
        note = (
            f"The branch is {behind} and conflicts with it. Regreen resolves no conflicts: none is resolved, and "
            f"{base} is not merged. Merge it by hand."
        )
        return Synced(head, distance.parted, note)
    if merged.how is Merging.CURRENT and merged.head in {"", head}:
        return Synced(head, distance.parted)
    # Nothing left to merge on another head: a try that was cut short has made it, or somebody else has.
    parted = ports.checks.distance(pull.base_branch, merged.head).parted
    note = f"{base} was merged into the branch for real ({merged.head[:SHORT]}), without a conflict."
    return Synced(merged.head, parted, note, merged=True)
