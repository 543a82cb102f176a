"""A Makefile's targets as the commands that they would run; only simple variables are known."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sandbox.detect import shell, work
from sandbox.detect.reading import text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PATHS = ("GNUmakefile", "makefile", "Makefile")
MAX_DEPTH = 3
MAX_TARGETS = 20
_SETTING = re.compile(r"(\w+) *[:?]?= *(.*)")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")


@dataclass(slots=True)
class _Rule:
    """What stands behind the targets that one line names, which share it: a few bytes name very many."""

    needs: list[str]
    lines: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Makefile:
    path: str
    values: dict[str, str] = field(default_factory=dict)
    rules: dict[str, list[_Rule]] = field(default_factory=dict)


def commands(tree: Tree, targets: Sequence[str]) -> tuple[shell.Command, ...]:
    """What these targets and those that they depend on run, in make's order."""
    path = next((path for path in PATHS if path in tree), "")
    try:
        content = text(tree, path)
    except DetectionError:
        return ()
    wanted = tuple(targets)
    made = work.once(tree, "makefile", lambda: _parsed(path, content))
    return work.once(tree, ("make", wanted), lambda: tuple(_run(made, wanted)))


def _parsed(path: str, content: str) -> _Makefile:
    made = _Makefile(path)
    current: _Rule | None = None
    for number, line in enumerate(content.splitlines(), 1):
        if line.startswith("\t"):
            if current is not None:
                current.lines.append((number, line.strip()))
        elif match := _SETTING.fullmatch(line.rstrip()):
            made.values[match[1]] = match[2]
        elif ":" in line and not line.startswith((" ", "#")):
            head, _, rest = line.partition(":")
            current = _Rule(rest.partition("#")[0].lstrip(":").split())
            for name in dict.fromkeys(head.split()):
                made.rules.setdefault(name, []).append(current)
    return made


def _run(made: _Makefile, targets: Sequence[str]) -> Iterator[shell.Command]:
    order: dict[str, None] = {}
    seen: set[str] = set()
    for target in targets:
        _visit(target, made, order, seen)
    for name in order:
        for rule in made.rules[name]:
            yield from _commands(made.path, rule.lines, made.values)


def _visit(target: str, made: _Makefile, order: dict[str, None], seen: set[str]) -> None:
    if target in seen or target not in made.rules or len(seen) >= MAX_TARGETS:
        return
    seen.add(target)
    for rule in made.rules[target]:
        work.spend(len(rule.needs) + 1)
        for need in rule.needs:
            _visit(need, made, order, seen)
    order[target] = None


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
        grown = work.replaced(_REFERENCE, lambda match: values.get(match[1], shell.UNKNOWN), script, shell.MAX_LINE)
        if grown is None:
            return shell.UNKNOWN
        script = grown
    return script.replace("$$", "$")
