"""Which subject a pull request of the App's is about. Pure; whoever asks it asks here.

Who opened a pull request comes first, and is for the caller to look at: anybody can write a marker or name a branch.
"""

import re

from bot.own_branches import flat, named

_SUBJECT = r"(?:issue|pull)-\d{1,19}|check-[A-Za-z0-9._/-]{1,250}"
_NUMBERED = r"(?:-\d{1,3})?(?:\.\d)?"
_MARK = re.compile(rf"<!-- regreen:subject=({_SUBJECT}) -->")
_BRANCH = re.compile(rf"regreen[/-](?:((?:issue|pull)-\d{{1,19}}){_NUMBERED}|(check-[A-Za-z0-9._/-]{{1,250}}))")


def mark_of(body: str | None) -> str:
    """The marker in a pull request's text: the first line that is one, since people and tools write above it."""
    lines = (line.strip() for line in (body or "").split("\n"))
    return next((line for line in lines if _MARK.fullmatch(line)), "")


def subject_of(mark: str, branch: str) -> str:
    """The subject by the marker, or, where people took it out, by the head branch; empty where neither names one.

    `branch` is empty for a fork's. The name of a branch that had red checks may itself end in a number; it stays whole.
    """
    found = _MARK.fullmatch(mark)
    if found:
        return found[1]
    by_name = _BRANCH.fullmatch(branch)
    return (by_name[1] or by_name[2]) if by_name else ""


def is_of(marker: str, mark: str, branch: str) -> bool:
    """Whether it is about the subject that `marker` names; of two readings of a branch's name, either counts."""
    wanted = _MARK.fullmatch(marker)
    if mark or not wanted:
        return mark == marker
    first = named(wanted[1])
    return any(re.fullmatch(re.escape(name) + _NUMBERED, branch) for name in (first, flat(first)))
