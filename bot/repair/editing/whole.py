"""The second and the third rung: blocks of code as whole functions, else as whole files, else as new ones."""

from contextlib import suppress
from dataclasses import replace

from bot.errors import EditError
from bot.repair.editing.block_pieces import (
    Block,
    fits,
    language_of_block,
    leaves_out,
    lost_directives,
    owners,
    read_block,
)
from bot.repair.editing.cleaning import as_typed
from bot.repair.editing.draft import Draft, Rung
from bot.repair.editing.elisions import check_elision
from bot.repair.editing.merging import UnknownError, merge
from bot.repair.editing.needs import lost_imports
from bot.repair.editing.replies import CodeBlock
from bot.repair.editing.sourcetext import SourceText, decode
from bot.repair.sources.grammar import language_of

WHOLE_FILE_LINES = 300
MAX_FUNCTIONS = 50
Written = tuple[str, SourceText, Rung]


class FinalError(EditError):
    """A refusal that no other reading of the block gets round."""


def apply_blocks(draft: Draft, blocks: tuple[CodeBlock, ...]) -> None:
    """Apply each block that defines something; quotations of the present code are passed over.

    Raises `EditError` when a block under a path cannot be applied, or none of the others.
    """
    problem: EditError | None = None
    written: dict[str, SourceText] = {}
    for block in blocks:
        try:
            path, source, rung = _apply(draft, block)
        except EditError as error:
            problem = problem or error
            if block.place is not None or isinstance(error, FinalError):
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


def _apply(draft: Draft, block: CodeBlock) -> Written:
    if block.place is not None and block.place.new:
        return _new_file(draft, block)
    meant = draft.meant(block.place, draft.default_path)
    language = language_of_block(meant, block.language)
    if not language:
        _check_end(block, None)
        path, source = draft.open(block.place)
        return path, _whole_file(path, source, block), Rung.FILE
    given = _read(block, language)
    _check_end(block, given)
    owner = _owner(draft, given) if given.functions and not draft.knows(block.place) else ""
    path, source = draft.open(block.place, owner)
    if language_of(path) != language:
        return path, _whole_file(path, source, block), Rung.FILE
    few = len(given.functions) <= MAX_FUNCTIONS
    if few and fits(path, source, given):
        return path, _merged(draft, path, source, given), Rung.FUNCTION
    try:
        return path, _whole_file(path, source, block), Rung.FILE
    except FinalError:
        raise
    except EditError as error:
        if not few or not source.text.strip():
            raise
        try:
            return path, _merged(draft, path, source, given), Rung.FUNCTION
        except EditError as other:
            raise (other if given.named or not isinstance(other, UnknownError) else error) from other


def _read(block: CodeBlock, language: str) -> Block:
    """The pieces of a block, once more without a page's entities where it does not parse with them."""
    try:
        return read_block(block, language)
    except EditError:
        plain = replace(block, lines=tuple(map(as_typed, block.lines)))
        if plain == block:
            raise
        return read_block(plain, language)


def _check_end(block: CodeBlock, given: Block | None) -> None:
    """Refuse a block that the reply's end leaves open, unless it is the one named function, and that ends there."""
    if block.closed or (given and not block.lines[-1].strip() and given.named and given.is_finished):
        return
    raise EditError("The reply ends inside of a code block", "Write the block to its end, and close its fence.")


def _merged(draft: Draft, path: str, source: SourceText, given: Block) -> SourceText:
    draft.functions += len(given.functions)
    if draft.functions > MAX_FUNCTIONS:
        raise EditError(f"The reply holds more than {MAX_FUNCTIONS} functions", "Give only those that change.")
    merged = merge(path, source, given)
    if merged != source:
        _check_twice(draft, path, given)
    return merged


def _check_twice(draft: Draft, path: str, given: Block) -> None:
    """Refuse a function that two blocks change, each in its own way."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for piece in given.functions:
        lines = found.setdefault((path, piece.qualified_name, piece.role), [])
        lines += [line.strip() for line in given.text(piece) if line.strip()]
    for key, lines in found.items():
        before = draft.given.setdefault(key, [])
        before.append(lines)
        if before[0] != lines and not draft.redone:
            raise FinalError(
                f"The reply gives {key[1]} of {path} in two ways", "Give each function once, as it is to be."
            )


def _owner(draft: Draft, given: Block) -> str:
    """The one file that defines the block's first function; empty when there is none."""
    editable = {}
    for path, data in draft.originals.items():
        with suppress(EditError):
            editable[path] = decode(path, data)
    found = owners(editable, given)
    if len(found) > 1:
        raise EditError(
            f"{given.functions[0].qualified_name} is defined in {', '.join(found[:5])}",
            "Write the file's path on the line above the block.",
        )
    return found[0] if found else ""


def _whole_file(path: str, source: SourceText, block: CodeBlock) -> SourceText:
    lines = _without_heading(block, source.lines)
    if max(len(source.lines), len(lines)) >= WHOLE_FILE_LINES:
        raise EditError(
            f"{path} is too long to be given whole ({len(source.lines)} lines)", "Give the function that changes."
        )
    check_elision(path, source.lines, lines)
    if missing := (*leaves_out(path, source, lines), *lost_imports(path, source.lines, lines)):
        raise EditError(
            f"The new {path} leaves out {', '.join(missing[:8])}",
            "Write the whole file, or only the function that changes.",
        )
    if lost := lost_directives(source.lines, lines):
        raise FinalError(f"The new {path} lacks its line {lost[0]!r}", "Write the whole file, its first lines as well.")
    return source.splice(0, len(source.lines), lines)


def _new_file(draft: Draft, block: CodeBlock) -> Written:
    _check_end(block, None)
    path = block.place.path if block.place else ""
    source = draft.create(path)
    lines = _without_heading(block, ())
    check_elision(path, (), lines)
    return path, source.splice(0, 0, lines), Rung.FILE


def _without_heading(block: CodeBlock, present: tuple[str, ...]) -> tuple[str, ...]:
    """The lines without a first one that only names the file."""
    lines = block.lines
    if block.place and lines and lines[0] not in present and block.place.path in lines[0]:
        lines = lines[1:]
    return lines
