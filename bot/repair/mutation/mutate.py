"""Single mutants of suspicious functions, the likeliest first: the search for a fix that needs no model.

Edits are byte-precise: only the mutated segment changes, the file keeps its formatting, endings and encoding.
"""

import ast
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product

from bot.errors import EditError
from bot.repair.editing.sourcetext import SourceText, decode, split
from bot.repair.localisation.localise import Suspect
from bot.repair.localisation.reach import MODULE
from bot.repair.mutation import expression_operators as expressions
from bot.repair.mutation import statement_operators as statements
from bot.repair.mutation.mutants import Change, Scope, meaning
from bot.repair.sources.syntax import FunctionNode, functions, parse
from bot.repair.types import FileChange, Patch, SourceFile

Operator = Callable[[Scope, ast.AST], Iterator[Change]]

OPERATORS: tuple[Operator, ...] = (
    expressions.swap_comparison,
    expressions.swap_arithmetic,
    expressions.swap_boolean,
    expressions.remove_unary,
    expressions.negate_condition,
    expressions.change_constant,
    expressions.swap_arguments,
    expressions.swap_name,
    expressions.swap_variable,
    statements.shift_index,
    statements.change_slice,
    statements.shift_range,
    statements.shift_operand,
    statements.change_return,
    statements.add_return,
    statements.change_assignment,
    statements.swap_jump,
    statements.remove_statement,
    statements.guard_early,
)
YIELD: Mapping[str, float] = {
    "boundary": 1.0, "lost value": 0.95, "arithmetic": 0.95, "boolean": 0.9, "neighbour": 0.9, "integer": 0.9,
    "truth value": 0.85, "assignment": 0.8, "comparison": 0.8, "range": 0.8, "negation": 0.75, "index": 0.75,
    "slice": 0.7, "operands": 0.7, "arguments": 0.7, "jump": 0.6, "variable": 0.5, "condition less": 0.5,
    "statement": 0.45, "constant": 0.4, "operand": 0.4, "return value": 0.35, "returned call": 0.35, "guard": 0.3,
}  # fmt: skip
"""How often an operator's mutants repair something, relative to the best; an order, not a measurement."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one function, with a line that says what it does and where."""

    patch: Patch
    path: str
    function: str
    line: int
    operator: str
    explanation: str
    weight: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A change with what is needed to make a mutant of it; `weight` is suspiciousness times yield."""

    weight: float
    suspect: Suspect
    source: SourceText
    scope: Scope
    change: Change


def mutants(suspects: Sequence[Suspect], files: Mapping[str, SourceFile], limit: int) -> tuple[Mutant, ...]:
    """At most `limit` mutants that parse, no two of the same tree, in an order that never varies."""
    return tuple(islice(each_mutant(suspects, files), limit))


def each_mutant(suspects: Sequence[Suspect], files: Mapping[str, SourceFile]) -> Iterator[Mutant]:
    """The same one after the other: each holds a whole file, and thousands at once would be hundreds of megabytes."""
    seen = {""}
    for candidate in sorted(_candidates(suspects, files), key=_rank):
        identity = _identity(candidate)
        if identity in seen:
            continue
        seen.add(identity)
        with suppress(EditError):
            yield _mutant(candidate)


def _candidates(suspects: Sequence[Suspect], files: Mapping[str, SourceFile]) -> Iterator[_Candidate]:
    parsed = {path: _parsed(files[path]) for path in {suspect.path for suspect in suspects} if path in files}
    for suspect in suspects:
        source, nodes = parsed.get(suspect.path, (None, {}))
        node = nodes.get((suspect.qualified_name, 1 if suspect.qualified_name == MODULE else suspect.start_line))
        if source is None or node is None:
            continue
        scope = Scope(source.text, node)
        for part, operator in product(scope.nodes, OPERATORS):
            for change in operator(scope, part):
                yield _Candidate(suspect.score * YIELD[change.operator], suspect, source, scope, change)


def _parsed(file: SourceFile) -> tuple[SourceText | None, dict[tuple[str, int], ast.Module | FunctionNode]]:
    """A file's text and its scopes by qualified name and first line; nothing for one that cannot be read."""
    try:
        source = decode(file.path, file.data)
    except EditError:
        return None, {}
    tree = parse(source.text)
    if tree is None:
        return None, {}
    named: dict[tuple[str, int], ast.Module | FunctionNode] = {
        (function.qualified_name, function.start_line): function.node for function in functions(tree)
    }
    return source, named | {(MODULE, 1): tree}


def _rank(candidate: _Candidate) -> tuple[float, str, int, int, str]:
    change = candidate.change
    return -round(candidate.weight, 9), candidate.suspect.path, change.start, change.end, change.replacement


def _identity(candidate: _Candidate) -> str:
    """A hash of what its function means with it; empty for what has no meaning to compare, or changes nothing."""
    scope = candidate.scope
    meant = meaning(scope.fragment(candidate.change))
    if meant in {"", scope.unchanged}:
        return ""
    key = f"{candidate.suspect.path}\0{candidate.suspect.qualified_name}\0{meant}"
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _mutant(candidate: _Candidate) -> Mutant:
    suspect, change, source = candidate.suspect, candidate.change, candidate.source
    lines, _ = split(candidate.scope.mutated(change))
    content = source.splice(0, len(source.lines), lines).encode()
    where = "the module" if suspect.qualified_name == MODULE else suspect.qualified_name
    return Mutant(
        Patch((FileChange(suspect.path, content),)),
        suspect.path,
        suspect.qualified_name,
        change.line,
        change.operator,
        f"{change.operator}: {change.what}, in {where} ({suspect.path}, line {change.line})",
        candidate.weight,
    )
