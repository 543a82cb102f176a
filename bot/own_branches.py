"""The names of the App's own branches, and how they are told from others'. Pure; made and recognised here alone.

In git a branch called `regreen` makes every name below `regreen/` impossible, and `regreen/check-release` one such as
`regreen/check-release/1.0`: hence names with a hyphen for where the usual ones cannot be made.
"""

import re

_ROOT, _FLAT = "regreen/", "regreen-"
_OWN_FLAT = re.compile(r"regreen-(?:(?:issue|pull)-\d{1,19}|check-.+)(?:-\d{1,3})?(?:\.\d)?", re.DOTALL)
_LONGEST = 200


def named(subject: str, number: int = 1) -> str:
    """`regreen/issue-7`; with a number above 1 `regreen/issue-7-2` and so on. `subject` is as in `bot.jobs`."""
    return f"{_ROOT}{subject}{f'-{number}' if number > 1 else ''}"


def flat(branch: str) -> str:
    """The name of one of ours without a slash, `regreen-issue-7`: it stands in no other branch's way."""
    return f"{_FLAT}{branch.removeprefix(_ROOT)}".replace("/", "-")[:_LONGEST]


def above(branch: str) -> tuple[str, ...]:
    """The names that must be no branches for this one to be made: `a` and `a/b` for `a/b/c`."""
    parts = branch.split("/")
    return tuple("/".join(parts[:end]) for end in range(1, len(parts)))


def is_own(branch: str) -> bool:
    """Whether only the App makes branches of such a name; whose pull request it is, its author says."""
    return branch.startswith(_ROOT) or _OWN_FLAT.fullmatch(branch) is not None
