"""Reply text → patch, on bytes: search/replace, then whole functions, then whole files. All of a reply or nothing.

What nobody edited stays byte for byte: line endings, BOM, encoding, tabs, a missing final newline, the file's mode.
Why this order: docs/architecture.md; unified diffs are not read, since models count lines badly.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from bot.errors import EditError
from bot.repair import refusals
from bot.repair.definitions import Block, Definition, fits, only_known, owners, read_block, replace_function
from bot.repair.matching import replace_unique
from bot.repair.replies import CodeBlock, Place, Reply, parse
from bot.repair.sourcetext import SourceText, decode
from bot.repair.syntax import functions
from bot.repair.syntax import parse as parse_python
from bot.repair.types import FileChange, Patch

WHOLE_FILE_LINES = 300
MAX_FUNCTIONS = 50
_CODE = frozenset({
    "", "python", "python3", "py", "pyi",
    "javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "go", "golang",
})  # fmt: skip
_FORMAT = "Answer with an edit in the format that was asked for."


class Rung(StrEnum):
    """How an edit was written, from the cheapest to the most robust."""

    SEARCH_REPLACE = "search_replace"
    RELAXED = "search_replace_relaxed"
    FUNCTION = "function"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Applied:
    """What a reply came to: the patch against the base tree, how it was written, and the words before it."""

    patch: Patch
    rung: Rung
    explanation: str


@dataclass(slots=True)
class _Draft:
    """Files as they are being edited; the highest rung used so far."""

    originals: Mapping[str, bytes]
    known: Collection[str]
    default_path: str
    texts: dict[str, SourceText] = field(default_factory=dict)
    functions: int = 0
    rung: Rung = Rung.SEARCH_REPLACE

    def knows(self, place: Place | None) -> bool:
        """Whether a place names a file of the tree; small models copy the format's own example, or make one up."""
        return place is not None and (place.path in self.originals or place.path in self.known)

    def open(self, place: Place | None, fallback: str = "") -> tuple[str, SourceText]:
        meant = fallback or self.default_path
        path = place.path if place and (self.knows(place) or not meant) else meant
        if not path:
            raise EditError("The edit names no file", "Write the file's path on the line above each edit.")
        refusals.check_place(path, self.known, self.originals)
        if path not in self.texts:
            source = decode(path, self.originals[path])
            refusals.check_source(path, source)
            self.texts[path] = source
        return path, self.texts[path]

    def put(self, path: str, source: SourceText, rung: Rung) -> None:
        self.texts[path] = source
        self.rung = max(self.rung, rung, key=list(Rung).index)


def apply(
    reply: str,
    finish_reason: str,
    files: Mapping[str, bytes],
    *,
    default_path: str = "",
    known: Collection[str] = (),
) -> Applied:
    """Turn a reply into a patch of `files`, the only ones that it may edit.

    `default_path` is meant where a block names no file, or none of the tree; `known` are all paths of the tree.
    Raises `EditError`, whose text goes back to the model, when any part of the reply cannot be applied.
    """
    _check_reply(reply, finish_reason)
    parsed = parse(reply, known or files.keys())
    draft = _Draft(files, known, default_path)
    if parsed.edits:
        _apply_edits(draft, parsed)
    else:
        _apply_blocks(draft, _code_of(reply, parsed))
    return Applied(_patch(draft), draft.rung, parsed.prose)


def mentioned_paths(reply: str, known: Collection[str]) -> tuple[str, ...]:
    """The paths that a reply would edit, in order; none when it cannot be read at all."""
    try:
        return parse(reply, known).paths
    except EditError:
        return ()


def _check_reply(reply: str, finish_reason: str) -> None:
    if finish_reason == "length":
        raise EditError(
            "The reply was cut off at its length limit", "Answer with the smallest edit, and fewer words before it."
        )
    if not reply.strip():
        raise EditError("The reply is empty", _FORMAT)


def _apply_edits(draft: _Draft, parsed: Reply) -> None:
    path = ""
    for edit in parsed.edits:
        path, source = draft.open(edit.place, path)
        for search, new in edit.splits:
            refusals.check_elision(path, (*source.lines, *search), new)
        edited, relaxed = replace_unique(path, source, edit)
        draft.put(path, edited, Rung.RELAXED if relaxed else Rung.SEARCH_REPLACE)


def _code_of(reply: str, parsed: Reply) -> tuple[CodeBlock, ...]:
    """The blocks that hold code; a reply that is nothing but functions counts as one block."""
    if any(block.language in {"diff", "patch"} for block in parsed.blocks):
        raise EditError("The reply is a unified diff", _FORMAT)
    blocks = tuple(
        block
        for block in parsed.blocks
        if any(line.strip() for line in block.lines) and (block.language in _CODE or block.place)
    )
    if blocks:
        return blocks
    tree = parse_python(reply)
    if tree is not None and functions(tree):
        return (CodeBlock(None, "python", tuple(reply.replace("\r\n", "\n").strip("\n").split("\n"))),)
    raise EditError("The reply holds no edit, only words", _FORMAT)


def _apply_blocks(draft: _Draft, blocks: tuple[CodeBlock, ...]) -> None:
    """Each block that defines something is applied; quotations of the present code are passed over."""
    problem: EditError | None = None
    written: dict[str, SourceText] = {}
    for block in blocks:
        try:
            path, source, rung = _apply_block(draft, block)
        except EditError as error:
            problem = problem or error
            if block.place is not None:
                raise
            continue
        if source == draft.texts[path]:
            continue
        if path in written and rung is Rung.FILE:
            raise EditError(f"The reply gives {path} twice", "Give each file once.")
        written[path] = source
        draft.put(path, source, rung)
    if not written and problem is not None:
        raise problem


def _apply_block(draft: _Draft, block: CodeBlock) -> tuple[str, SourceText, Rung]:
    meant = block.place.path if block.place else draft.default_path
    if meant and not meant.endswith((".py", ".pyi")):
        path, source = draft.open(block.place)
        return path, _whole_file(path, source, block), Rung.FILE
    parts = read_block(block)
    owner = _owner(draft, parts) if parts and not draft.knows(block.place) else ""
    path, source = draft.open(block.place, owner)
    if parts and len(parts.definitions) <= MAX_FUNCTIONS and fits(source, parts):
        draft.functions += len(parts.definitions)
        if draft.functions > MAX_FUNCTIONS:
            raise EditError(f"The reply holds more than {MAX_FUNCTIONS} functions", "Give only those that change.")
        for definition in parts.definitions:
            source = _with_function(path, source, definition)
        return path, source, Rung.FUNCTION
    try:
        return path, _whole_file(path, source, block), Rung.FILE
    except EditError:
        only = only_known(source, block)
        if only is None:
            raise
        return path, _with_function(path, source, only), Rung.FUNCTION


def _with_function(path: str, source: SourceText, new: Definition) -> SourceText:
    refusals.check_elision(path, source.lines, new.lines)
    return replace_function(path, source, new)


def _owner(draft: _Draft, parts: Block) -> str:
    """The one file that defines the block's first function; empty when there is none."""
    editable = {}
    for path, data in draft.originals.items():
        with suppress(EditError):
            editable[path] = decode(path, data)
    found = owners(editable, parts.definitions[0])
    if len(found) > 1:
        raise EditError(
            f"{parts.definitions[0].qualified_name} is defined in {', '.join(found[:5])}",
            "Write the file's path on the line above the block.",
        )
    return found[0] if found else ""


def _whole_file(path: str, source: SourceText, block: CodeBlock) -> SourceText:
    lines = block.lines
    if block.place and lines and lines[0] not in source.lines and block.place.path in lines[0]:
        lines = lines[1:]
    if max(len(source.lines), len(lines)) >= WHOLE_FILE_LINES:
        raise EditError(
            f"{path} is too long to be given whole ({len(source.lines)} lines)", "Give the function that changes."
        )
    refusals.check_elision(path, source.lines, lines)
    new = source.splice(0, len(source.lines), lines)
    refusals.check_complete(path, source, new)
    return new


def _patch(draft: _Draft) -> Patch:
    contents = {path: source.encode() for path, source in sorted(draft.texts.items())}
    changes = tuple(FileChange(path, content) for path, content in contents.items() if content != draft.originals[path])
    if not changes:
        raise EditError(
            f"The reply leaves {', '.join(contents)} as it is", "Change the code so that its behaviour changes."
        )
    for path, content in contents.items():
        refusals.check_result(path, draft.originals[path], content)
    return Patch(changes)
