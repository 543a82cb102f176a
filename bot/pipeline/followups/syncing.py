"""Bringing one of our branches up to its base: by a real merge, and said so where that cannot be done."""

import re
from dataclasses import dataclass

from bot.pipeline.followups.threads import Wish
from bot.pipeline.ports.checks import PullHead
from bot.pipeline.ports.job import Ports
from bot.pipeline.ports.threads import Merging
from bot.pipeline.reports.markdown import code
from bot.pipeline.texts import Answered, counted
from bot.policy import Language

SHORT = 12
MAX_WORDS = 200
_ASKED = re.compile(
    r"\bre-?base\b|\b(?:merge|resolve|fix|solve)\b[^.\n]{0,20}\bconflicts?\b|\bmerge conflicts?\b"
    r"|\b(?:update|sync)\s+(?:(?:the|this|your)\s+)?branch\b"
    r"|\b(?:branch|pr|pull request)\b[^.\n]{0,30}\b(?:up[- ]to[- ]date|out[- ]of[- ]date|behind)\b",
    re.IGNORECASE,
)
_NAMED = r"[`'\"]?(?:base\b|{base}(?![\w/-]))"
_BASE = rf"\b(?:merge|pull)\b(?:\s+(?:in|from|with|the|latest|current))*\s+{_NAMED}"
_APART = rf"\b(?:conflicts?|up[- ]to[- ]date|behind|out[- ]of[- ]date)\s+(?:with\s+)?(?:the\s+)?{_NAMED}"


@dataclass(frozen=True, slots=True)
class Synced:
    """The branch's head now and the commit where it left its base. `note` says what was done, or why not.

    `merged` says that a merge was made.
    """

    head: str
    parted: str
    note: str = ""
    merged: bool = False


def wants_base(wish: Wish, base: str) -> bool:
    """Whether people ask to have the base, a branch of this name, merged."""
    return _asks(wish.body, base) or any(_asks(one.text, base) for thread in wish.wanted for one in thread.said)


def wants_no_more(wish: Wish, base: str) -> bool:
    """Whether that is all that they ask for, as far as a short remark without threads can be read."""
    return not wish.wanted and len(wish.body) <= MAX_WORDS and _asks(wish.body, base)


def _asks(text: str, base: str) -> bool:
    named = (re.compile(pattern.format(base=re.escape(base)), re.IGNORECASE) for pattern in (_BASE, _APART))
    return bool(_ASKED.search(text)) or any(pattern.search(text) for pattern in named)


def sync(ports: Ports, pull: PullHead, language: Language = "en", *, wanted: bool, trailers: str) -> Synced:
    """Merge the base where that is `wanted` and the branch is behind. Never forces, never resolves a conflict.

    Raises `GitHubError`.
    """
    base, head = code(pull.base_branch), pull.head_sha
    distance = ports.checks.distance(pull.base_branch, head)
    if not distance.behind:
        return Synced(head, distance.parted, Answered.CURRENT.say(language, base=base) if wanted else "")
    behind = counted(distance.behind, Answered.BEHIND_ONE, Answered.BEHIND, language, base=base)
    if not wanted:
        return Synced(head, distance.parted, Answered.ASK_MERGE.say(language, behind=behind, base=base))
    message = f"Merge {pull.base_branch} into {pull.head_branch}{trailers}"
    merged = ports.branches.merge(pull.head_branch, pull.base_branch, message)
    if merged.how is Merging.CONFLICT:
        return Synced(head, distance.parted, Answered.CONFLICT.say(language, behind=behind, base=base))
    if merged.how is Merging.CURRENT and merged.head in {"", head}:
        return Synced(head, distance.parted)
    # Nothing left to merge on another head: a try that was cut short has made it, or somebody else has.
    parted = ports.checks.distance(pull.base_branch, merged.head).parted
    note = Answered.MERGED.say(language, base=base, commit=merged.head[:SHORT])
    return Synced(merged.head, parted, note, merged=True)
