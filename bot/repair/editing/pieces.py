"""What a source is made of, in whole lines: functions, classes, constants, imports. Python's here, others beside it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from bot.repair.editing.indentation import DEFAULT_UNIT, indent_of, unit_of
from bot.repair.sources.syntax import FunctionNode, parse, start_line

Lines = tuple[str, ...]


class Kind(StrEnum):
    """What a piece is; `FILLER` means nothing by itself (a docstring, `pass`), `OTHER` is any other statement."""

    FUNCTION = "function"
    CLASS = "class"
    VALUE = "value"
    IMPORT = "import"
    FILLER = "filler"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece; lines count from 1 and are inclusive, `head` is where it begins behind its decorators.

    `direct` pieces stand in the module itself or in a class of it. `method` and `role` (decorators, `get`) tell
    namesakes apart. `unit` is what the body is indented by; `verbatim` are lines that begin inside of a string.
    `binds` are further names that it brings; `empty` says that its body is nothing but dots. `tail` is the last of the
    comments below it that may stand for more of it. `lead` is what its head says before it, as in `export default`,
    and `sets` what another statement gives a value to.
    """

    kind: Kind
    qualified_name: str
    start: int
    end: int
    head: int
    direct: bool = True
    method: bool = False
    role: str = ""
    unit: str = ""
    verbatim: frozenset[int] = frozenset()
    binds: tuple[str, ...] = ()
    empty: bool = False
    tail: int = 0
    lead: str = ""
    sets: str = ""

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.qualified_name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """What encloses it."""
        return self.qualified_name.rpartition(".")[0]


@lru_cache(maxsize=64)
def of_python(lines: Lines) -> tuple[Piece, ...] | None:
    """The pieces of a Python source, those around others first; `None` for what this interpreter cannot parse."""
    tree = parse("\n".join(lines))
    try:
        return None if tree is None else tuple(_walk(tree, lines, "", direct=True))
    except RecursionError:
        return None


def _walk(node: ast.AST, lines: Lines, prefix: str, *, direct: bool) -> Iterator[Piece]:
    shared = _shared_lines(node)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode):
            yield _function(child, lines, prefix, direct=direct)
            yield from _walk(child, lines, f"{prefix}{child.name}.", direct=False)
        elif isinstance(child, ast.ClassDef):
            end = child.end_lineno or child.lineno
            role = "" if _bases(child) in {(), ("object",)} else ast.unparse(ast.Tuple([*child.bases], ast.Load()))
            start = start_line(child)
            yield Piece(Kind.CLASS, f"{prefix}{child.name}", start, end, child.lineno, direct=direct, role=role)
            yield from _walk(child, lines, f"{prefix}{child.name}.", direct=direct)
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            if direct and isinstance(child, ast.stmt):
                yield _statement(child, prefix, shared=child.lineno in shared)
            yield from _walk(child, lines, prefix, direct=False)


def _bases(node: ast.ClassDef) -> tuple[str, ...]:
    return tuple(ast.unparse(base) for base in (*node.bases, *(word.value for word in node.keywords)))


def _shared_lines(node: ast.AST) -> set[int]:
    """Lines that two statements of a body share: neither can be replaced by itself."""
    body: list[ast.stmt] = node.body if isinstance(node, ast.Module | ast.ClassDef) else []
    both = [(one, two) for one, two in pairwise(body) if two.lineno <= (one.end_lineno or one.lineno)]
    return {statement.lineno for pair in both for statement in pair}


def _statement(node: ast.stmt, prefix: str, *, shared: bool) -> Piece:
    """An import, a constant with one name, a filler, or anything else with all names that it may bind."""
    kind, name, binds = Kind.OTHER, "", _bound(node)
    if isinstance(node, ast.Import | ast.ImportFrom):
        kind = Kind.IMPORT
    elif isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        kind = Kind.FILLER
    elif isinstance(node, ast.Assign | ast.AnnAssign) and not shared:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            kind, name = Kind.VALUE, f"{prefix}{targets[0].id}"
    sets = "" if shared or name or kind is not Kind.OTHER else _sets(node, prefix)
    return Piece(kind, name, node.lineno, node.end_lineno or node.lineno, node.lineno, binds=binds, sets=sets)


def _sets(node: ast.stmt, prefix: str) -> str:
    """What an assignment names, or a loop or a `try` binds; a branch may be a script's end, with uses of its own."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return prefix + ", ".join(map(ast.unparse, targets))
    is_block = isinstance(node, ast.For | ast.While | ast.With | ast.Try)
    return prefix + " ".join(_bound(node)) if is_block and _bound(node) else ""


def _bound(node: ast.stmt) -> tuple[str, ...]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    within = (part for part in ast.walk(node) if part is not node and isinstance(part, ast.Import | ast.ImportFrom))
    return tuple(dict.fromkeys((*names, *(name for part in within for name in _bound(part)))))


def _function(node: FunctionNode, lines: Lines, prefix: str, *, direct: bool) -> Piece:
    start, end = start_line(node), node.end_lineno or node.lineno
    first = node.args.args[0].arg if node.args.args else ""
    return Piece(
        Kind.FUNCTION,
        f"{prefix}{node.name}",
        start,
        end,
        node.lineno,
        direct=direct,
        method=first in {"self", "cls"},
        role=" ".join(ast.unparse(decorator) for decorator in node.decorator_list),
        unit=_body_unit(lines[start - 1 : end], node),
        verbatim=_inside_strings(node),
        empty=all(_says_nothing(statement) for statement in node.body),
        tail=end if isinstance(node.body[-1], ast.Return | ast.Raise) else tail_of(lines, node.lineno, end),
    )


def tail_of(lines: Sequence[str], head: int, end: int) -> int:
    """The last of the comments that stand directly below a function of Python, or deeper than its head."""
    depth, last = len(indent_of(lines[head - 1])), end
    for number, line in enumerate(lines[end:], end + 1):
        if line.strip():
            inside = len(indent_of(line)) > depth or number == last + 1
            if not inside or not line.lstrip().startswith("#"):
                break
            last = number
    return last


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _body_unit(lines: Sequence[str], node: FunctionNode) -> str:
    """What the body is indented by below its `def`; the most frequent step when it stands on the same line."""
    first = node.body[0]
    if first.lineno == node.lineno:
        return unit_of(lines)
    base = indent_of(lines[0])
    line = next((text for text in lines[1:] if len(indent_of(text)) == first.col_offset and text.strip()), "")
    return indent_of(line)[len(base) :] or " " * DEFAULT_UNIT


def _inside_strings(node: FunctionNode) -> frozenset[int]:
    """Lines that begin inside of a string: their blanks are content."""
    strings = (part for part in ast.walk(node) if isinstance(part, ast.Constant | ast.JoinedStr))
    return frozenset(line for part in strings for line in range(part.lineno + 1, (part.end_lineno or part.lineno) + 1))
