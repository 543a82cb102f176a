"""A Makefile's targets as the commands that they would run; only simple variables are known."""

import re
from collections.abc import Sequence

from sandbox.detect import shell, work
from sandbox.detect.reading import text
from sandbox.detect.rules import Rule, Rules
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PATHS = ("GNUmakefile", "makefile", "Makefile")
_SETTING = re.compile(r"(\w+) *[:?]?= *(.*)")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")


def commands(tree: Tree, targets: Sequence[str]) -> tuple[shell.Command, ...]:
    """What these targets and those that they depend on run, in make's order; conditions count as met."""
    wanted = tuple(targets)
    return work.once(tree, ("make", wanted), lambda: tuple(_read(tree).run(wanted)))


def targets(tree: Tree) -> tuple[str, ...]:
    """The names of its targets, in their order."""
    return tuple(_read(tree).rules)


def _read(tree: Tree) -> Rules:
    path = next((path for path in PATHS if path in tree), "")
    try:
        content = text(tree, path)
    except DetectionError:
        return Rules(path, _REFERENCE)
    return work.once(tree, "makefile", lambda: _parsed(path, content))


def _parsed(path: str, content: str) -> Rules:
    made = Rules(path, _REFERENCE)
    current: Rule | None = None
    for number, line in enumerate(content.splitlines(), 1):
        if line.startswith("\t"):
            if current is not None:
                current.lines.append((number, line.strip()))
        elif match := _SETTING.fullmatch(line.rstrip()):
            made.values[match[1]] = match[2]
        elif ":" in line and not line.startswith((" ", "#")):
            head, _, rest = line.partition(":")
            current = Rule(rest.partition("#")[0].lstrip(":").split())
            for name in dict.fromkeys(head.split()):
                made.rules.setdefault(name, []).append(current)
    return made
