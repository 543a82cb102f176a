"""What the files of make and of just have in common: targets, what each needs first, and lines of shell."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.detect import shell, work
from sandbox.detect.reading import text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

MAX_DEPTH = 3
MAX_TARGETS = 20


@dataclass(slots=True)
class Rule:
    """What stands behind the targets that one line names, which share it: a few bytes name very many.

    `values` are those of its own parameters.
    """

    needs: list[str]
    values: dict[str, str] = field(default_factory=dict)
    lines: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Rules:
    """One file's; `reference` finds a variable's name within a line."""

    path: str
    reference: re.Pattern[str]
    values: dict[str, str] = field(default_factory=dict)
    rules: dict[str, list[Rule]] = field(default_factory=dict)

    def run(self, targets: Sequence[str]) -> Iterator[shell.Command]:
        """What these targets and those that they depend on run, in the order of their needs."""
        order: dict[str, None] = {}
        seen: set[str] = set()
        for target in targets:
            self._visit(target, order, seen)
        for name in order:
            for rule in self.rules[name]:
                yield from self._commands(rule)

    def _visit(self, target: str, order: dict[str, None], seen: set[str]) -> None:
        if target in seen or target not in self.rules or len(seen) >= MAX_TARGETS:
            return
        seen.add(target)
        for rule in self.rules[target]:
            work.spend(len(rule.needs) + 1)
            for need in rule.needs:
                self._visit(need, order, seen)
        order[target] = None

    def _commands(self, rule: Rule) -> Iterator[shell.Command]:
        known = {**self.values, **rule.values} if rule.values else self.values
        work.spend(len(rule.values) and len(known))
        joined: list[str] = []
        for number, line in rule.lines:
            joined.append(line.removesuffix("\\"))
            if not line.endswith("\\"):
                script = " ".join(joined).lstrip("@-+ ")
                joined = []
                yield from shell.commands(self._expanded(script, known), shell.Place(self.path, number))

    def _expanded(self, script: str, known: Mapping[str, str]) -> str:
        for _ in range(MAX_DEPTH):
            grown = work.replaced(
                self.reference, lambda match: known.get(match[1], shell.UNKNOWN), script, shell.MAX_LINE
            )
            if grown is None:
                return shell.UNKNOWN
            script = grown
        return script.replace("$$", "$")


@dataclass(frozen=True, slots=True)
class Program:
    """Who reads such files: under which `paths`, the first one there, and how one is `parsed` into its empty rules."""

    name: str
    paths: tuple[str, ...]
    reference: re.Pattern[str]
    parsed: Callable[[str, Rules], None]

    def commands(self, tree: Tree, targets: Sequence[str]) -> tuple[shell.Command, ...]:
        """What these targets and those that they depend on run, in the program's order."""
        wanted = tuple(targets)
        return work.once(tree, (self.name, wanted), lambda: tuple(self._read(tree).run(wanted)))

    def targets(self, tree: Tree) -> tuple[str, ...]:
        """The names of its targets, in their order."""
        return tuple(self._read(tree).rules)

    def _read(self, tree: Tree) -> Rules:
        path = next((path for path in self.paths if path in tree), "")
        try:
            content = text(tree, path)
        except DetectionError:
            return Rules(path, self.reference)
        return work.once(tree, self.name, lambda: self._made(path, content))

    def _made(self, path: str, content: str) -> Rules:
        made = Rules(path, self.reference)
        self.parsed(content, made)
        return made
