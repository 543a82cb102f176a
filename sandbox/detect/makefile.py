"""A Makefile's targets as the commands that they would run; only simple variables are known."""

import re
from collections.abc import Iterator, Sequence

from sandbox.detect import shell
from sandbox.detect.reading import text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PATHS = ("GNUmakefile", "makefile", "Makefile")
MAX_DEPTH = 3
MAX_TARGETS = 20
_SETTING = re.compile(r"(\w+) *[:?]?= *(.*)")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")


def commands(tree: Tree, targets: Sequence[str]) -> tuple[shell.Command, ...]:
    """What these targets and those that they depend on run, in make's order."""
    path = next((path for path in PATHS if path in tree), "")
    try:
        content = text(tree, path)
    except DetectionError:
        return ()
    values: dict[str, str] = {}
    recipes: dict[str, list[tuple[int, str]]] = {}
    needs: dict[str, list[str]] = {}
    current: list[str] = []
    for number, line in enumerate(content.splitlines(), 1):
        if line.startswith("\t"):
            for name in current:
                recipes[name].append((number, line.strip()))
        elif match := _SETTING.fullmatch(line.rstrip()):
            values[match[1]] = match[2]
        elif ":" in line and not line.startswith((" ", "#")):
            head, _, rest = line.partition(":")
            current = head.split()
            for name in current:
                recipes.setdefault(name, [])
                needs.setdefault(name, []).extend(rest.partition("#")[0].lstrip(":").split())
    order: list[str] = []
    seen: set[str] = set()
    for target in targets:
        _visit(target, needs, order, seen)
    return tuple(command for name in order for command in _commands(path, recipes.get(name, []), values))


def _visit(target: str, needs: dict[str, list[str]], order: list[str], seen: set[str]) -> None:
    if target in seen or target not in needs or len(seen) >= MAX_TARGETS:
        return
    seen.add(target)
    for need in needs[target]:
        _visit(need, needs, order, seen)
    order.append(target)


def _commands(path: str, lines: list[tuple[int, str]], values: dict[str, str]) -> Iterator[shell.Command]:
    joined: list[str] = []
    for number, line in lines:
        joined.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            script = " ".join(joined).lstrip("@-+ ")
            joined = []
            yield from shell.commands(_expanded(script, values), shell.Place(path, number))


def _expanded(script: str, values: dict[str, str]) -> str:
    for _ in range(MAX_DEPTH):
        script = _REFERENCE.sub(lambda match: values.get(match[1], shell.UNKNOWN), script)[: shell.MAX_LINE]
    return script.replace("$$", "$")
