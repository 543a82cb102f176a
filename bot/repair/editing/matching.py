"""The first rung: search/replace with exactly one match, by exact lines first, then whatever the indentation."""

import re
from collections.abc import Sequence
from itertools import accumulate, product

from bot.errors import EditError
from bot.repair.editing.cleaning import as_typed
from bot.repair.editing.indentation import Translation, base_of, indent_of, shape, unit_of
from bot.repair.editing.replies import SearchReplace
from bot.repair.editing.sourcetext import SourceText

Lines = tuple[str, ...]
Split = tuple[Lines, Lines]
_HINT_LINES = 12
_HANGING = 2
_QUOTES = re.compile(r"\"{3}|'{3}|`")
MAX_HITS = 50
_LOOSE = "Quote a few more of the surrounding lines, exactly as they stand, so that they occur once."


def replace_unique(path: str, source: SourceText, edit: SearchReplace) -> tuple[SourceText, bool]:
    """Apply one edit; the flag says that only the relaxed match found the place.

    Raises `EditError` when the old lines occur nowhere or more than once.
    """
    plain = tuple(map(_plain, edit.splits))
    # The longest reading first: where it matches, every shorter one matches too, by mere prefix.
    for readings, find in product(dict.fromkeys((edit.raw, edit.splits, plain)), (_exact, _relaxed, _hanging)):
        for search, new in reversed(readings):
            hits = find(source.lines, search) if _trimmed(search) else []
            if len(hits) > 1:
                where = ", ".join(str(at + 1) for at in hits[:5])
                times = f"{len(hits)} times" if len(hits) < MAX_HITS else f"at least {MAX_HITS} times"
                raise EditError(f"The SEARCH lines occur {times} in {path} (lines {where})", _LOOSE)
            if hits:
                old, fresh = _hung(source, hits[0], search, new) if find is _hanging else (search, new)
                return _spliced(source, hits[0], old, fresh, exact=find is not _relaxed), find is not _exact
    return _without_match(path, source, edit), False


def _plain(split: Split) -> Split:
    """The old and the new lines without what a page makes of code."""
    search, new = (tuple(as_typed(line) for line in lines) for lines in split)
    return search, new


def _exact(lines: Lines, search: Lines) -> list[int]:
    """The first places where these lines stand, at most 50, found by the interpreter's linear text search."""
    text, wanted = "".join(f"\n{line}" for line in (*lines, "")), "".join(f"\n{line}" for line in (*search, ""))
    hits: list[int] = []
    at = text.find(wanted)
    line = last = 0
    while at >= 0 and len(hits) < MAX_HITS:
        line += text.count("\n", last, at)
        last = at
        hits.append(line)
        at = text.find(wanted, at + 1)
    return hits


def _relaxed(lines: Lines, search: Lines) -> list[int]:
    """Places where the trimmed search has the same texts and the same shape of indentation."""
    trimmed = _trimmed(search)
    wanted, count = shape(trimmed), len(trimmed)
    if not wanted:
        return []
    hits = _exact(tuple(line.strip() for line in lines), tuple(text for _, text in wanted))
    alike = [at for at in hits if shape(lines[at : at + count]) == wanted]
    # Where the texts alone occur too often to look at each place, quoting more of them is what helps.
    return hits if len(hits) == MAX_HITS else alike


def _hanging(lines: Lines, search: Lines) -> list[int]:
    """Places where all but the first line match exactly, and that one but for its indentation."""
    trimmed = _trimmed(search)
    if len(trimmed) < _HANGING or indent_of(trimmed[0]):
        return []
    hits = _exact(lines, trimmed[1:])
    return [at - 1 for at in hits if at and lines[at - 1].strip() == trimmed[0].strip()]


def _hung(source: SourceText, at: int, search: Lines, new: Lines) -> Split:
    """Old and new lines with the first one at its depth, where both begin at the margin."""
    indent = indent_of(source.lines[at])
    search, new = _trimmed(search), _trimmed(new)
    first = new[:1] if new and indent_of(new[0]) else tuple(f"{indent}{line}" for line in new[:1])
    return (f"{indent}{search[0]}", *search[1:]), (*first, *new[1:])


def _spliced(source: SourceText, at: int, search: Lines, new: Lines, *, exact: bool) -> SourceText:
    if exact:
        return source.splice(at, at + len(search), new)
    search, new = _trimmed(search), _trimmed(new)
    window = source.lines[at : at + len(search)]
    return source.splice(at, at + len(search), _translated(source, window, search, new))


def _translated(source: SourceText, window: Lines, search: Lines, new: Lines) -> Lines:
    """The new lines in the window's indentation; a line that the search also holds is taken from the file."""
    old, fresh = (tuple(line.rstrip() for line in lines) for lines in (search, new))
    shared = min(len(old), len(fresh))
    head = next((at for at in range(shared) if old[at] != fresh[at]), shared)
    tail = next((at for at in range(shared - head) if old[-1 - at] != fresh[-1 - at]), shared - head)
    kept: dict[str, str] = {}
    depths: dict[str, str] = {}
    for line, original in zip(old, window, strict=True):
        kept.setdefault(line, original)
        if line:
            depths.setdefault(indent_of(line), indent_of(original))
    from_unit = unit_of((*search, *new))
    to_unit = unit_of(window) if _indented(window) else unit_of(source.lines)
    if _widths(search) == _widths(window) and "\t" not in to_unit:
        to_unit = from_unit
    translation = Translation(base_of(search), from_unit, base_of(window), to_unit)
    stay = _left_of_code(new)
    between = (
        kept.get(line)
        or (line if at in stay else "")
        or (depths[indent_of(line)] + line.lstrip() if indent_of(line) in depths else translation.apply(line))
        for at, line in enumerate(new[head : len(new) - tail], head)
    )
    return (*window[:head], *between, *window[len(window) - tail :])


def _left_of_code(lines: Lines) -> set[int]:
    """The lines of strings of which one stands left of the code: they were not indented along with that."""
    found, run = set[int](), list[int]()
    quotes, depth = "", 0
    for at, line in enumerate(lines):
        if quotes:
            run.append(at)
        for mark in _QUOTES.findall(line):
            if not quotes:
                quotes, depth = mark, len(indent_of(line))
            elif mark == quotes:
                quotes = ""
        if run and not quotes:
            found.update(run if any(lines[one].strip() and len(indent_of(lines[one])) < depth for one in run) else ())
            run = []
    return found


def _without_match(path: str, source: SourceText, edit: SearchReplace) -> SourceText:
    """An empty SEARCH fills an empty file; anything else is refused with what stands nearest."""
    search, new = edit.splits[0]
    if not _trimmed(search):
        if not source.text.strip():
            return source.splice(0, len(source.lines), new)
        raise EditError(f"The SEARCH part for {path} is empty", "Quote the lines that the new ones replace.")
    wanted = _trimmed(search)
    piece = wanted[0].strip() if len(wanted) == 1 else ""
    held = next((f" Line {at} is:\n{line}" for at, line in enumerate(source.lines, 1) if piece and piece in line), "")
    how = "Quote whole lines, not a piece of one." if held else "Copy the old lines exactly as they stand."
    near = held or _nearest(source.lines, wanted)
    raise EditError(f"The SEARCH lines do not occur in {path}", f"{how}{near}")


def _nearest(lines: Lines, search: Lines) -> str:
    """The stretch of the file that shares the most lines with the search, as a hint; empty when none does."""
    wanted = {line.strip() for line in search if line.strip()}
    sums = [0, *accumulate(line.strip() in wanted for line in lines)]
    scores = [sums[min(at + len(search), len(lines))] - sums[at] for at in range(len(lines))]
    best = max(scores, default=0)
    if not best:
        return ""
    at = scores.index(best)
    hint = "\n".join(lines[at : at + min(len(search), _HINT_LINES)])
    return f" The nearest lines, from line {at + 1}:\n{hint}"


def _trimmed(lines: Sequence[str]) -> Lines:
    """Without the blank lines at both ends."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return tuple(lines[filled[0] : filled[-1] + 1]) if filled else ()


def _indented(lines: Lines) -> bool:
    return len({indent_of(line) for line in lines if line.strip()}) > 1


def _widths(lines: Lines) -> tuple[int, ...]:
    base = len(base_of(lines).expandtabs(4))
    return tuple(len(indent_of(line).expandtabs(4)) - base for line in lines if line.strip())
