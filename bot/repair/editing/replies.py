"""A model's reply as data: search/replace edits, code blocks, and the words before them. Nothing is decided here.

A reply may be hostile or mad, so every expression here takes linear time and what is kept of a reply is counted.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from bot.errors import EditError
from bot.repair.editing.cleaning import clean, is_ended
from bot.repair.editing.headings import Place, on_fence, place_of
from bot.repair.editing.markers import DIVIDER, FENCE, REPLACE, SEARCH, closes, outside

_TRANSPARENT = frozenset({"markdown", "md"})
_PROMPTS = (">>> ", "... ", "...")
_QUOTES = ('"""', "'''")
_NUMBERED = re.compile(r"^\s*(\d{1,7}) ?\| ?")
_MARKED = re.compile(r"^\s*L?(\d{1,7})(?: ?\| ?|: ?|\t)")
_TAKES_BACK = re.compile(
    r"\W*(?:(?:but |oh,? |hmm,? |no,? |actually,? )?wait *[,.!:;\u2014\u2013-]|on second thoughts?\b|scratch that\b"
    r"|correction *[:,]|(?:or,? )?alternatively\b|(?:ignore|disregard|forget) (?:the|that|this|my) )",
    re.IGNORECASE,
)
_LOOK_BACK = 3
PROSE_CAP = 2000
MAX_CHARS = 200_000
MAX_LINES = 5000
MAX_PARTS = 100
MAX_DIVIDERS = 20
_BRIEFER = "Answer with the smallest edit, and fewer words before it."


Split = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SearchReplace:
    """One edit: `splits` are its readings as (search, replace); more than one when a divider line is ambiguous.

    They are without line numbers; `raw` are the same as they were written.
    """

    place: Place | None
    splits: tuple[Split, ...]
    raw: tuple[Split, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One fenced block that is no search/replace edit; not `closed` where the reply ends inside of it."""

    place: Place | None
    language: str
    lines: tuple[str, ...]
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """The parts of a reply; `prose` is what was said before the first block, capped.

    `taken_back` is a line between the parts by which what stands above it may no longer count.
    """

    prose: str
    edits: tuple[SearchReplace, ...]
    blocks: tuple[CodeBlock, ...]
    taken_back: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that a block names, in order."""
        places = [edit.place for edit in self.edits] + [block.place for block in self.blocks]
        return tuple(dict.fromkeys(place.path for place in places if place))


def parse(text: str, known: Collection[str]) -> Reply:
    """Take a reply apart; `known` are the tree's paths, which make a heading a path for sure.

    Raises `EditError` for an edit whose markers are not complete, and for a reply of more than 200,000 characters,
    5,000 lines or 100 blocks.
    """
    if len(text) > MAX_CHARS:
        raise EditError(f"The reply is longer than {MAX_CHARS} characters", _BRIEFER)
    lines = clean(text).split("\n")
    if len(lines) > MAX_LINES:
        raise EditError(f"The reply is longer than {MAX_LINES} lines", _BRIEFER)
    parts = list(islice(_parts(lines, known), MAX_PARTS + 1))
    if len(parts) > MAX_PARTS:
        raise EditError(f"The reply holds more than {MAX_PARTS} edits or blocks", _BRIEFER)
    first = min((at for at, _ in parts), default=len(lines))
    edits = tuple(part for _, part in parts if isinstance(part, SearchReplace))
    blocks = tuple(
        replace(part, closed=part.closed or is_ended(text)) for _, part in parts if isinstance(part, CodeBlock)
    )
    counted = [at for at, part in parts if not edits or isinstance(part, SearchReplace)]
    between = outside(lines[counted[0] : counted[-1]]) if counted else ()
    taken_back = next((line.strip()[:80] for line in between if _TAKES_BACK.match(line)), "")
    return Reply(_prose(lines[:first], known), edits, blocks, taken_back)


@dataclass(frozen=True, slots=True)
class _Markers:
    """Where the lines stand that open an edit or close a fence, so that no line is looked at once for each fence."""

    lines: list[str]
    searches: list[int]
    closings: dict[str, list[int]] = field(default_factory=dict)

    def end_of_fence(self, start: int, fence: str) -> int:
        """The line that closes a fence, or the end of the reply."""
        if fence not in self.closings:
            self.closings[fence] = [at for at, line in enumerate(self.lines) if closes(line, fence)]
        return _after(self.closings[fence], start, len(self.lines))

    def holds_search(self, start: int, end: int) -> bool:
        """Whether an edit opens in the lines [start, end)."""
        return _after(self.searches, start - 1, end) < end


def _after(places: list[int], start: int, default: int) -> int:
    """The first of the ascending places that lies behind `start`."""
    at = bisect_right(places, start)
    return places[at] if at < len(places) else default


def _parts(lines: list[str], known: Collection[str]) -> Iterator[tuple[int, SearchReplace | CodeBlock]]:
    markers = _Markers(lines, [at for at, line in enumerate(lines) if SEARCH.match(line)])
    at = 0
    while at < len(lines):
        if SEARCH.match(lines[at]):
            end = _end_of_edit(lines, at)
            raw = _splits(lines[at + 1 : end])
            splits = tuple((unnumbered(old, _MARKED), unnumbered(new, _MARKED)) for old, new in raw)
            yield at, SearchReplace(_place_above(lines, at, known), splits, raw)
            at = end + 1
            continue
        fence = FENCE.match(lines[at])
        end = _end_of_block(lines, at, fence, markers) if fence else at
        if fence and not markers.holds_search(at, end):
            block = _code_block(lines, at, end, known)
            # What stands in a fence of markdown without a path of its own is a reply in a reply.
            if block.language not in _TRANSPARENT or block.place:
                yield at, block
                at = end
        at += 1


def _end_of_block(lines: list[str], start: int, fence: re.Match[str], markers: _Markers) -> int:
    """The line that closes a fence, behind the fences inside of a docstring."""
    end = nearest = markers.end_of_fence(start, fence[1])
    counts = dict.fromkeys(_QUOTES, 0)
    first = start + 1
    while end < len(lines):
        for quotes in _QUOTES:
            counts[quotes] += sum(line.count(quotes) for line in lines[first:end])
        if not any(count % 2 for count in counts.values()):
            return end
        first, end = end, markers.end_of_fence(end, fence[1])
    return nearest


def _end_of_edit(lines: list[str], start: int) -> int:
    for at in range(start + 1, len(lines)):
        if REPLACE.match(lines[at]):
            return at
        if SEARCH.match(lines[at]):
            break
    raise EditError(
        "An edit has no closing >>>>>>> REPLACE line",
        "Write each edit as <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE.",
    )


def _splits(body: list[str]) -> tuple[Split, ...]:
    lines = tuple(body)
    dividers = [at for at, line in enumerate(lines) if DIVIDER.match(line)]
    if not dividers:
        raise EditError(
            "An edit has no ======= line between the old and the new lines",
            "Write each edit as <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE.",
        )
    if len(dividers) > MAX_DIVIDERS:
        raise EditError(f"An edit holds {len(dividers)} ======= lines", "Quote fewer lines, with one ======= line.")
    return tuple((lines[:at], lines[at + 1 :]) for at in dividers)


def unnumbered(lines: tuple[str, ...], number_of: re.Pattern[str] = _NUMBERED) -> tuple[str, ...]:
    """Without the line numbers of the prompt, or Python's own prompts, when each line that is not blank has one."""
    if lines and lines[0].startswith(">>> ") and all(line[:4] in _PROMPTS for line in lines if line.strip()):
        return tuple(line[4:] for line in lines)
    numbers = [number_of.match(line) for line in lines if line.strip()]
    found = [int(number[1]) for number in numbers if number]
    if found and len(found) == len(numbers) and found == sorted(set(found)):
        return tuple(number_of.sub("", line) for line in lines)
    return lines


def _code_block(lines: list[str], start: int, end: int, known: Collection[str]) -> CodeBlock:
    opening = FENCE.match(lines[start])
    words = opening[2].split() if opening else []
    body = unnumbered(tuple(lines[start + 1 : end]))
    place = _place_above(lines, start, known)
    if body and body[0].strip() in known:
        place, body = place or place_of(body[0], known), body[1:]
    first = body[0] if body and body[0].startswith(("#", "//")) else ""
    for heading in (*words[:2], first.lstrip("#/ ")):
        place = place or place_of(on_fence(heading), known)
    language = words[0].lower() if words and not place_of(words[0], known) else ""
    return CodeBlock(place, language, body, closed=end < len(lines))


def _place_above(lines: list[str], at: int, known: Collection[str]) -> Place | None:
    above = [line for line in lines[max(0, at - _LOOK_BACK) : at] if line.strip()]
    for line in reversed(above):
        fence = FENCE.match(line)
        heading = on_fence(fence[2].split()[-1]) if fence and fence[2].strip() else line
        place = place_of(heading, known)
        if place or not fence:
            return place
    return None


def _prose(lines: list[str], known: Collection[str]) -> str:
    kept = [line for line in lines if not FENCE.match(line)]
    while kept and (not kept[-1].strip() or place_of(kept[-1], known)):
        kept.pop()
    return "\n".join(kept).strip()[:PROSE_CAP]
