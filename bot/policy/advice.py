"""What is understood, and most likely does not do what was meant: said, but refused by nobody."""

import re

from bot.policy.model import RepoPolicy

KNOWN = frozenset({"pytest", "py.test", "unittest", "jest", "vitest", "mocha", "_mocha"})
"""Programs and Python modules whose results are read without JUnit XML, see `sandbox.detect`."""
_CLIENTS = frozenset({"npm", "npx", "pnpm", "yarn", "bun", "bunx"})
# A pytest of one Python version, a script of a package's.
_ENDING = re.compile(r"(?:-?\d[\d.]*|\.[cm]?js|\.exe)$")


def advised(policy: RepoPolicy) -> tuple[tuple[str, str], ...]:
    """Keys, and what to see to: nothing where each of them works, as far as one can tell without the repository."""
    command = policy.test_command
    if policy.junit and not command:
        said = "this takes effect together with `test_command`, the command that writes these files: name it too"
        return (("junit", said),)
    if not command or policy.junit or _known(command):
        return ()
    said = (
        "this is none of the runners whose results Regreen reads by itself (pytest, unittest, node --test, jest, "
        "vitest, mocha, go test): have it write JUnit XML, and say where with `junit`, such as `junit: reports/*.xml`; "
        "else a run may end without results"
    )
    return (("test_command", said),)


def _known(command: tuple[str, ...]) -> bool:
    """What a package's script runs is not told by its name, so that every client of Node's passes."""
    names = [_ENDING.sub("", word.rpartition("/")[2]) for word in command]
    if not KNOWN.isdisjoint(names) or not _CLIENTS.isdisjoint(names):
        return True
    return (names[0] == "go" and "test" in command[1:]) or ("node" in names and "--test" in command)
