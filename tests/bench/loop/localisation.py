"""Where localisation ranked the function that a person really edited."""

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.loop.tasks import BenchTask

from bot.repair.ports import Journal, Json

Place = tuple[str, str]
"""A path and a qualified name."""


@dataclass
class Listening:
    """`Journal` that keeps what localisation said at first: places, the most suspicious first."""

    journal: Journal
    suspects: list[Place] = field(default_factory=list)

    def append(self, event: str, fields: Json) -> None:
        """Write the event on."""
        if event == "localised" and not self.suspects:
            self.suspects = list(_places(fields.get("suspects")))
        self.journal.append(event, fields)

    def __getattr__(self, name: str) -> Any:
        """Whatever else a journal can do."""
        return getattr(self.journal, name)


def _places(suspects: object) -> Iterator[Place]:
    for one in suspects if isinstance(suspects, list | tuple) else ():
        path, name, *_ = one
        yield str(path), str(name)


def rank(suspects: Sequence[Place], task: BenchTask) -> int | None:
    """From 1; 0 where it is not among them; `None` where nothing was logged or nobody knows what was edited."""
    wanted = edited(task)
    if not suspects or not wanted:
        return None
    return next((at for at, place in enumerate(suspects, 1) if place in wanted), 0)


def edited(task: BenchTask) -> frozenset[Place]:
    """The functions, with those around them, whose lines the person's version changes."""
    pairs = ((path, task.tree[path].data, new) for path, new in task.fixed.items() if path in task.tree)
    return frozenset((path, name) for path, old, new in pairs for name in _names(old, new))


def _names(old: bytes, new: bytes) -> set[str]:
    try:
        spans = dict(_functions(ast.parse(old)))
    except (SyntaxError, ValueError):
        return set()
    lines = set(_changed(old.splitlines(), new.splitlines()))
    return {name for name, span in spans.items() if lines & set(span)}


def _functions(node: ast.AST, above: str = "") -> Iterator[tuple[str, range]]:
    """Qualified names as edits write them, and their lines."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{above}.{child.name}" if above else child.name
            if not isinstance(child, ast.ClassDef):
                yield name, range(child.lineno, (child.end_lineno or child.lineno) + 1)
            yield from _functions(child, name)
        else:
            yield from _functions(child, above)


def _changed(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[int]:
    """Lines of the old text that go, and those before which something comes, from 1."""
    # junk is for prose: here a line that occurs often counts like any other
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, _, _ in matcher.get_opcodes():
        if tag != "equal":
            yield from range(first + 1, max(last, first + 1) + 1)


def top(ranks: Sequence[int], most: Sequence[int]) -> Mapping[str, int]:
    """How many are among the first so many."""
    return {str(count): sum(0 < rank <= count for rank in ranks) for count in most}
