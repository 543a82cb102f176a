"""What a change adds to a file of Python: its new lines, the syntax that begins on them, and the names that it uses."""

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from bot.repair.integrity.flag import Flag, Kind
from bot.repair.sources.syntax import Function, functions, parse
from bot.repair.types import FileChange

PYTHONS_END = re.compile(r"\r\n|\r|\n")
MAX_EXACT = 4_000_000
_LONG = 20


@dataclass(frozen=True)
class Added:
    """A change that parses. `lines` are the numbers of new lines: indentation does not count, nor does having moved."""

    path: str
    tree: ast.Module
    old: ast.Module
    lines: frozenset[int]
    text: str = field(repr=False)
    old_text: str = field(repr=False)

    def flag(self, node: ast.AST, kind: Kind, says: str, *, refuses: bool = True) -> Flag:
        """A flag at a node."""
        return Flag(kind, self.path, says, getattr(node, "lineno", 0), refuses)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Everything that begins on a new line, documentation left out."""
        words = {id(node) for node in _documentation(self.tree)}
        return tuple(
            node for node in ast.walk(self.tree) if getattr(node, "lineno", 0) in self.lines and id(node) not in words
        )

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Local name → dotted name that it was imported as."""
        return imported(self.tree)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """Every function of the new file that has a new line."""
        return tuple(
            function
            for function in functions(self.tree)
            if not self.lines.isdisjoint(range(function.start_line, function.end_line + 1))
        )

    @cached_property
    def earlier(self) -> Mapping[str, Function]:
        """Qualified name → function of the old file."""
        return {function.qualified_name: function for function in functions(self.old)}

    def dotted(self, node: ast.AST) -> str:
        """The dotted name of an expression, through imports: `s.modules` after `import sys as s`; else empty."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name, name)
            case ast.Attribute(value=value, attr=attribute):
                owner = self.dotted(value)
                return f"{owner}.{attribute}" if owner else ""
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(attribute)), *_]):
                return f"{self.dotted(owner)}.{attribute}"
            case ast.Call(func=called, args=[ast.Constant(value=str(name)), *_]):
                by_name = self.dotted(called) in {"__import__", "importlib.import_module"}
                return name if by_name else ""
            case _:
                return ""

    def had(self, word: str) -> bool:
        """Whether the old file held this text."""
        return word in self.old_text


def added(change: FileChange, before: bytes | None) -> Added | None:
    """What a change adds; `None` for a deletion, and for what is no Python that parses."""
    if change.content is None or not change.path.endswith(".py"):
        return None
    tree, old = parse(change.content), parse(before or b"")
    if tree is None:
        return None
    text, old_text = (data.decode("utf-8", "replace") for data in (change.content, before or b""))
    lines = new_lines(old_text, text)
    return Added(change.path, tree, old or ast.Module([], []), lines, text, old_text)


def new_lines(old_text: str, text: str, end: re.Pattern[str] = PYTHONS_END) -> frozenset[int]:
    """The numbers of the lines that are not in the old text, compared without their indentation.

    `end` is what ends a line for whoever numbers the nodes: a character that ends one only here would shift them all.
    """
    old, new = ([line.strip() for line in end.split(part)] for part in (old_text, text))
    known = {line for line in old if len(line) >= _LONG}
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    old, middle = old[head : len(old) - tail], new[head : len(new) - tail]
    quick = len(old) * len(middle) > MAX_EXACT
    blocks = difflib.SequenceMatcher(None, old, middle, autojunk=quick).get_matching_blocks()
    kept = {at for block in blocks for at in range(block.b, block.b + block.size)}
    added_at = (at for at, line in enumerate(middle) if line and at not in kept and line not in known)
    return frozenset(head + at + 1 for at in added_at)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def imported(tree: ast.AST) -> dict[str, str]:
    """Local name → dotted name of every import."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.partition(".")[0]: _plain(alias) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _plain(alias: ast.alias) -> str:
    return alias.name if alias.asname else alias.name.partition(".")[0]


def _documentation(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value
