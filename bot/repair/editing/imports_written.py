"""Imports that a changed function brings: which of them, how they are written, and where they go."""

import ast
from collections.abc import Collection, Sequence

from bot.repair.editing.pieces import Kind, Lines, Piece
from bot.repair.sources.syntax import parse


def added_imports(
    language: str, given: Sequence[Lines], lines: Lines, there: Sequence[Piece], wanted: Collection[str]
) -> tuple[int, Lines]:
    """Imports that bring wanted names, as they are added, and behind how many lines they go.

    They go below the last import above the code, into Go's group, or else below docstring and comments.
    """
    found = tuple(line for statement in given for line in _written(language, statement, wanted))
    head = _head(there)
    imports = [piece for piece in head if piece.kind is Kind.IMPORT]
    if language == "go":
        grouped = bool(imports) and not lines[imports[-1].start - 1].startswith("import")
        found = tuple(f"\t{line}" if grouped else f"import {line}" for line in found)
    if imports or not found:
        return (imports[-1].end if imports else 0), found
    if head:
        return head[-1].end, ("", *found)
    at = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith(("#", "//"))), len(lines))
    if language == "go" and at < len(lines):
        return at + 1, ("", *found)
    return at, (*found, "")


def _head(there: Sequence[Piece]) -> list[Piece]:
    """Imports and fillers above everything else."""
    at = next((at for at, one in enumerate(there) if one.kind not in {Kind.IMPORT, Kind.FILLER}), len(there))
    return list(there[:at])


def _written(language: str, lines: Lines, wanted: Collection[str]) -> Lines:
    """A statement as it is added: of Python's the wanted names only."""
    if language != "python":
        return tuple(line.strip().removeprefix("import ").strip() for line in lines) if language == "go" else lines
    tree = parse("\n".join(lines))
    node = tree.body[0] if tree else None
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return ()
    node.names = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in wanted]
    return (ast.unparse(node),) if node.names else ()
