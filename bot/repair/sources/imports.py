"""Which files of the repository a Python file imports, read off its statements; source roots need not be known."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.repair.sources.syntax import parse
from bot.repair.types import SourceFile

MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Modules:
    """Dotted name, or any end of one → the two files nearest to the root whose path ends like it."""

    nearest: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, known: Sequence[str]) -> "Modules":
        """Index the tree's paths; a name is known by its last 16 parts."""
        nearest: dict[str, list[str]] = {}
        for path in sorted(known, key=lambda path: (path.count("/"), path)):
            if not path.endswith(".py"):
                continue
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            for depth in range(1, min(len(parts), MAX_DEPTH) + 1):
                # Two, since a file never means itself.
                if len(found := nearest.setdefault(".".join(parts[-depth:]), [])) < 2:  # noqa: PLR2004
                    found.append(path)
        return cls(nearest)

    def imported(self, file: SourceFile) -> Iterator[str]:
        """The repository's files that a file imports, at any level of it."""
        tree = parse(file.data) if file.path.endswith(".py") else None
        for node in ast.walk(tree) if tree else ():
            for name in _names(node, file.path):
                yield from [path for path in self.nearest.get(name, ()) if path != file.path][:1]


def _names(node: ast.AST, path: str) -> Iterator[str]:
    """Dotted names that an import statement may load, most specific first; relative ones made absolute by path."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        package = path.split("/")[: -node.level] if node.level else []
        origin = ".".join([*package, *([node.module] if node.module else [])])
        yield from (f"{origin}.{alias.name}".lstrip(".") for alias in node.names)
        if origin:
            yield origin
