"""A block of code as what it is made of, and beside a file: does it fit, does it leave anything out, whose is it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

from bot.errors import EditError
from bot.repair.editing.indentation import indent_of
from bot.repair.editing.pieces import Kind, Lines, Piece, of_python
from bot.repair.editing.replies import CodeBlock
from bot.repair.editing.script_pieces import WRAPPER, of_script, wrapped
from bot.repair.editing.sourcetext import SourceText
from bot.repair.sources.grammar import fault, language_of
from bot.repair.sources.syntax import syntax_error

_EXTENSIONS = {
    "javascript": "js", "js": "js", "mjs": "js", "cjs": "js", "jsx": "js", "node": "js",
    "typescript": "ts", "ts": "ts", "tsx": "tsx", "go": "go", "golang": "go",
}  # fmt: skip
DEFINED = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.VALUE})
_WORD = re.compile(r"[\w$]+")
_LEAVES = ("return", "raise")
_HEAD_LINES = 10
_DIRECTIVE = re.compile(r"""#!|//go:|// \+build|// @ts-|['"]use \w+['"];?\s*$""")
_BRACES = frozenset({"}", "};"})
_MOST = 0.7
"""Of a file that is not understood, a whole one has at least so many lines."""
_SHOWN = ("print(", "assert ", "console.log(", "fmt.Print")
"""How a block shows what its code does; a file has nothing to lose in it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block that parses: its lines, what they are made of, and the name that its heading gives."""

    language: str
    lines: Lines
    pieces: tuple[Piece, ...]
    named: str = ""

    @property
    def functions(self) -> tuple[Piece, ...]:
        """Its functions, those inside of other functions aside."""
        return tuple(piece for piece in self.pieces if piece.kind is Kind.FUNCTION and piece.direct)

    @property
    def is_finished(self) -> bool:
        """Whether it ends as its only function does: with a brace at its depth, or a `return` that no branch holds."""
        filled = [line for line in self.lines if line.strip()]
        if len(self.functions) != 1 or not filled:
            return False
        head, last = self.lines[self.functions[0].head - 1], filled[-1]
        if self.language == "python":
            return last.startswith(tuple(f"{indent_of(head)}{self.functions[0].unit}{word}" for word in _LEAVES))
        return indent_of(head) == indent_of(last) and last.strip() in _BRACES

    def text(self, piece: Piece) -> Lines:
        """The lines of one piece."""
        return self.lines[piece.start - 1 : piece.end]

    def told(self, piece: Piece) -> Lines:
        """The same, and the comments below that may stand for more of it."""
        return self.lines[piece.start - 1 : max(piece.end, piece.tail)]


def pieces_of(path: str, lines: Lines) -> tuple[Piece, ...] | None:
    """What a file is made of; `None` for one in an unknown language, or that does not parse."""
    language = language_of(path)
    found = of_python(lines) if language == "python" else None
    return found if found is not None or not language else of_script(language, lines)


def language_of_block(path: str, word: str) -> str:
    """The language of a block, by the file that is meant or else by the word on its fence; empty for an unknown one."""
    return language_of(path) if path else language_of(f"x.{_EXTENSIONS.get(word, 'py')}")


def read_block(block: CodeBlock, language: str) -> Block:
    """The pieces of a block. Raises `EditError` when it does not parse."""
    lines = dedented(block.lines)
    suffix = {"python": "py", "javascript": "js", "typescript": "ts"}.get(language, language)
    if pieces_of(f"x.{suffix}", lines) is None:
        lines = dedented(wrapped(language, lines))
    pieces = pieces_of(f"x.{suffix}", lines)
    if pieces is None:
        text = "\n".join(block.lines)
        problem = syntax_error(text) if language == "python" else fault(language, text)
        name = {"python": "Python", "javascript": "JavaScript", "go": "Go"}.get(language, "TypeScript")
        raise EditError(f"The code block does not parse: {problem}", f"Answer with complete, valid {name}.")
    if lines[:1] == WRAPPER:
        inside = (piece for piece in pieces if piece.qualified_name != "_")
        pieces = tuple(replace(piece, qualified_name=piece.qualified_name.removeprefix("_.")) for piece in inside)
    named = normalize("NFKC", block.place.name) if block.place else ""
    alone = Block(language, lines, pieces).functions
    if len({one.qualified_name for one in alone}) == 1 and named.rpartition(".")[2] == alone[0].name:
        named = _agreed(named, alone[0])
        pieces = tuple(replace(piece, qualified_name=named) if piece in alone else piece for piece in pieces)
    return Block(language, lines, pieces, named)


def _agreed(named: str, function: Piece) -> str:
    """The name that heading and code give a function; what the code says of its owner is more than a bare name.

    Raises `EditError` where they name different owners.
    """
    given = function.qualified_name
    if given.endswith(f".{named}"):
        return given
    if function.owner and named != given and not named.endswith(f".{given}"):
        raise EditError(f"The heading names {named}, and its block is {given}", "Name the function that the block is.")
    return named


def fits(path: str, source: SourceText, block: Block) -> bool:
    """Whether a block is functions of this file and nothing else, but for fillers and imports that it has."""
    there = pieces_of(path, source.lines)
    if there is None or not block.functions:
        return False
    there_bound = bound(there)
    for piece in block.pieces:
        known = piece.kind is Kind.FILLER or not piece.direct
        if piece.kind is Kind.IMPORT:
            known = there_bound.issuperset(piece.binds)
        elif piece.kind is Kind.CLASS:
            known = any(part.owner == piece.qualified_name for part in block.pieces if part.kind is Kind.FUNCTION)
        elif piece.kind is Kind.FUNCTION and piece.direct:
            known = bool(matches(there, piece))
        if not known:
            return False
    return True


def leaves_out(path: str, source: SourceText, lines: Lines) -> tuple[str, ...]:
    """What a file defines and its new lines do not; a statement without a name is called by its first line.

    New lines that do not parse leave out most of a file that does, and so do few lines of one that is not understood.
    """
    before, after = pieces_of(path, source.lines), pieces_of(path, lines)
    if before is None or after is None:
        filled, given = (sum(bool(line.strip()) for line in text) for text in (source.lines, lines))
        return ("most of it",) if before is not None or given < _MOST * filled else ()
    names = {piece.qualified_name for piece in after} | {name for piece in after for name in piece.binds}
    lost = [piece.qualified_name for piece in before if piece.direct and piece.kind in DEFINED]
    missing = [name for name in dict.fromkeys(lost) if name not in names] + _unled(before, after, lines)
    old, new = (_others(text, found) for text, found in ((source.lines, before), (lines, after)))
    gone = [line for line in old if line not in new] if set(new) < set(old) else []
    return (*missing, *gone)


def lost_directives(old: Lines, new: Lines) -> tuple[str, ...]:
    """What a file's first lines tell its interpreter or compiler, and its new lines do not."""
    return tuple(line for line in old[:_HEAD_LINES] if _DIRECTIVE.match(line) and line not in new)


def _unled(before: Iterable[Piece], after: Sequence[Piece], lines: Lines) -> list[str]:
    """What is no longer exported, nor named by a statement of its own that may export it."""
    lead = {piece.qualified_name: piece.lead for piece in after if piece.kind in DEFINED}
    others = (lines[piece.start - 1 : piece.end] for piece in after if piece.kind is Kind.OTHER)
    elsewhere = set(_WORD.findall("\n".join("\n".join(text) for text in others)))
    return [
        piece.lead + piece.name
        for piece in before
        if piece.lead and not lead.get(piece.qualified_name, piece.lead) and piece.name not in elsewhere
    ]


def _others(lines: Lines, pieces: Iterable[Piece]) -> list[str]:
    first = (lines[piece.start - 1].strip() for piece in pieces if piece.kind is Kind.OTHER)
    return [line for line in first if not line.startswith(_SHOWN)]


def matches(there: Sequence[Piece], new: Piece) -> list[Piece]:
    """The functions that are meant; a bare name means a method exactly when it takes `self`, or stands in a class."""
    named = [piece for piece in there if piece.kind is Kind.FUNCTION and piece.name == new.name]
    exact = [piece for piece in named if piece.qualified_name == new.qualified_name]
    if exact and exact[0].method == new.method:
        return exact
    ends = [piece for piece in named if piece.qualified_name.endswith(f".{new.qualified_name}")]
    return [piece for piece in ends if piece.method == new.method] or exact or ends


def owners(files: Mapping[str, SourceText], block: Block) -> tuple[str, ...]:
    """The files that define the block's first function, in its language."""
    first = block.functions[0]
    return tuple(
        path
        for path, source in files.items()
        if language_of(path) == block.language and matches(pieces_of(path, source.lines) or (), first)
    )


def bound(pieces: Iterable[Piece]) -> set[str]:
    """The names of a module."""
    return set(_names(pieces))


def _names(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        if piece.direct and not piece.owner:
            yield from (*piece.binds, piece.qualified_name)


def dedented(lines: Lines) -> Lines:
    """Without the first line's indentation, where every line that is not blank has it."""
    base = next((indent_of(line) for line in lines if line.strip()), "")
    if base and all(line.startswith(base) for line in lines if line.strip()):
        return tuple(line[len(base) :] for line in lines)
    return lines
