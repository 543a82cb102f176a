"""Reply text → patch, on bytes: search/replace, then whole functions, then whole files. All of a reply or nothing.

What nobody edited stays byte for byte: line endings, BOM, encoding, tabs, a missing final newline, the file's mode.
Why this order: docs/edits.md; unified diffs are not read, since models count lines badly.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from bot.errors import EditError
from bot.repair.editing.cleaning import clean
from bot.repair.editing.draft import Draft, Rung
from bot.repair.editing.elisions import check_elision
from bot.repair.editing.matching import replace_unique
from bot.repair.editing.replies import CodeBlock, Reply, SearchReplace, parse
from bot.repair.editing.whole import WHOLE_FILE_LINES, apply_blocks
from bot.repair.sources.syntax import functions
from bot.repair.sources.syntax import parse as parse_python
from bot.repair.types import Patch

__all__ = ["WHOLE_FILE_LINES", "Applied", "Rung", "apply", "mentioned_paths"]

_CODE = frozenset({
    "", "python", "python3", "py", "pyi",
    "javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "go", "golang",
})  # fmt: skip
_FORMAT = "Answer with an edit in the format that was asked for."
_ONE_FORMAT = "Write all of the change as search/replace edits."
_TAKEN_BACK = "Answer again with nothing but the edits that count."
_DIFFS = frozenset({"diff", "patch"})
_DIFFED = re.compile(r"^\+\+\+ (?:b/)?(\S+)")
_DIFF = re.compile(r"^--- \S.*\n\+\+\+ \S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Applied:
    """What a reply came to: the patch against the base tree, how it was written, and the words before it."""

    patch: Patch
    rung: Rung
    explanation: str


def _nowhere(path: str) -> bool:
    del path
    return False


def apply(
    reply: str,
    finish_reason: str,
    files: Mapping[str, bytes],
    *,
    default_path: str = "",
    known: Collection[str] = (),
    creatable: Callable[[str], bool] = _nowhere,
) -> Applied:
    """Turn a reply into a patch of `files`, the only ones that it may edit.

    `default_path` is meant where a block names no file, or none of the tree; `known` are all paths of the tree, and
    `creatable` says where a file may be new. Raises `EditError`, whose text goes back to the model, when any part of
    the reply cannot be applied.
    """
    _check_reply(reply, finish_reason)
    parsed = parse(reply, known or files.keys())
    redone = bool(parsed.taken_back) and not parsed.edits and "alternative" not in parsed.taken_back.lower()
    draft = Draft(files, known, default_path, creatable, redone=redone)
    if parsed.edits:
        _apply_edits(draft, parsed.edits)
        _apply_further(draft, parsed)
        _check_diffs(draft, parsed.blocks)
    else:
        apply_blocks(draft, _code_of(reply, parsed))
    if parsed.taken_back and not (redone and all(len(given) > 1 for given in draft.given.values())):
        raise EditError(f"The reply takes back what it gives, or leaves a choice: {parsed.taken_back!r}", _TAKEN_BACK)
    return Applied(draft.patch(), draft.rung, parsed.prose)


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


def _apply_edits(draft: Draft, edits: tuple[SearchReplace, ...]) -> None:
    path = ""
    done: set[tuple[str, SearchReplace]] = set()
    for edit in edits:
        if made := _new_path(draft, edit):
            path, source = made, draft.create(made)
        else:
            path, source = draft.open(edit.place, path)
        if (path, edit) in done:
            continue
        done.add((path, edit))
        for search, new in edit.splits:
            check_elision(path, (*source.lines, *search), new)
        edited, relaxed = replace_unique(path, source, edit)
        draft.put(path, edited, Rung.RELAXED if relaxed else Rung.SEARCH_REPLACE)


def _new_path(draft: Draft, edit: SearchReplace) -> str:
    """The file that an edit makes: it says so, or it replaces nothing at a path where nothing is."""
    place = edit.place
    if place is None or place.path in draft.texts:
        return ""
    blank = not any(line.strip() for line in edit.splits[0][0])
    return place.path if place.new or (blank and not draft.knows(place) and not draft.default_path) else ""


def _apply_further(draft: Draft, parsed: Reply) -> None:
    """Blocks beside edits count where they name a file that no edit is about; others only quote."""
    blocks = (block for block in parsed.blocks if block.place is not None and block.place.path not in draft.texts)
    further = tuple(block for block in blocks if draft.knows(block.place) or (block.place and block.place.new))
    if further:
        apply_blocks(draft, further)
    for block in parsed.blocks:
        if block.place and block.place.path in draft.texts and block not in further and not _is_shown(draft, block):
            raise EditError(
                f"The reply edits {block.place.path} and gives code of it that is neither old nor new", _ONE_FORMAT
            )


def _is_shown(draft: Draft, block: CodeBlock) -> bool:
    """Whether a block only quotes the edited file, as it was or as it has become, or is no code of it."""
    path = block.place.path if block.place else ""
    for data in (draft.texts[path].encode(), draft.originals.get(path, b"")):
        scratch = Draft({path: data}, draft.known, "", draft.creatable)
        try:
            apply_blocks(scratch, (block,))
        except EditError:
            return True
        if scratch.texts[path].encode() == data:
            return True
    return False


def _check_diffs(draft: Draft, blocks: tuple[CodeBlock, ...]) -> None:
    """A diff beside edits may only show once more what they do."""
    lines = (line for block in blocks if block.language in _DIFFS for line in block.lines)
    for found in filter(None, map(_DIFFED.match, lines)):
        if found[1] in draft.known and found[1] not in draft.texts:
            raise EditError(f"The change of {found[1]} is a unified diff", _FORMAT)


def _code_of(reply: str, parsed: Reply) -> tuple[CodeBlock, ...]:
    """The blocks that hold code; a reply that is nothing but functions counts as one block."""
    if any(block.language in _DIFFS for block in parsed.blocks) or _DIFF.search(reply):
        raise EditError("The reply is a unified diff", _FORMAT)
    blocks = tuple(
        block
        for block in parsed.blocks
        if any(line.strip() for line in block.lines) and (block.language in _CODE or block.place)
    )
    if blocks:
        return blocks
    plain = clean(reply)
    tree = parse_python(plain)
    if tree is not None and functions(tree):
        return (CodeBlock(None, "python", tuple(plain.strip("\n").split("\n"))),)
    raise EditError("The reply holds no edit, only words", _FORMAT)
