"""The first rung: search/replace with exactly one match, by exact lines first, then whatever the indentation."""

from collections.abc import Sequence
from itertools import product

from bot.errors import EditError
from bot.repair.indentation import Translation, base_of, indent_of, shape, unit_of
from bot.repair.replies import SearchReplace
from bot.repair.sourcetext import SourceText

Lines = tuple[str, ...]
_HINT_LINES = 12
_LOOSE = "Quote a few more of the surrounding lines, exactly as they stand, so that they occur once."


def replace_unique(path: str, source: SourceText, edit: SearchReplace) -> tuple[SourceText, bool]:
    """Apply one edit; the flag says that only the relaxed match found the place.

    Raises `EditError` when the old lines occur nowhere or more than once.
    """
    # The longest reading first: where it matches, every shorter one matches too, by mere prefix.
    for find, (search, new) in product((_exact, _relaxed), reversed(edit.splits)):
        hits = find(source.lines, search) if _trimmed(search) else []
        if len(hits) > 1:
            where = ", ".join(str(at + 1) for at in hits[:5])
            raise EditError(f"The SEARCH lines occur {len(hits)} times in {path} (lines {where})", _LOOSE)
        if hits:
            return _spliced(source, hits[0], search, new, exact=find is _exact), find is _relaxed
    return _without_match(path, source, edit), False


def _exact(lines: Lines, search: Lines) -> list[int]:
    return [at for at in range(len(lines) - len(search) + 1) if lines[at : at + len(search)] == search]


def _relaxed(lines: Lines, search: Lines) -> list[int]:
    """Places where the trimmed search has the same texts and the same shape of indentation."""
    wanted = shape(_trimmed(search))
    if not wanted:
        return []
    texts = [line.strip() for line in lines]
    first, count = wanted[0][1], len(wanted)
    candidates = (at for at in range(len(lines) - count + 1) if texts[at] == first)
    return [at for at in candidates if shape(lines[at : at + count]) == wanted]


def _spliced(source: SourceText, at: int, search: Lines, new: Lines, *, exact: bool) -> SourceText:
    if exact:
        return source.splice(at, at + len(search), new)
    search, new = _trimmed(search), _trimmed(new)
    window = source.lines[at : at + len(search)]
    return source.splice(at, at + len(search), _translated(source, window, search, new))


def _translated(source: SourceText, window: Lines, search: Lines, new: Lines) -> Lines:
    """The new lines in the window's indentation; a line that the search also holds is taken from the file."""
    kept = {line.rstrip(): original for line, original in zip(search, window, strict=True)}
    from_unit = unit_of((*search, *new))
    to_unit = unit_of(window) if _indented(window) else unit_of(source.lines)
    if _widths(search) == _widths(window) and "\t" not in to_unit:
        to_unit = from_unit
    translation = Translation(base_of(search), from_unit, base_of(window), to_unit)
    return tuple(kept.get(line.rstrip()) or translation.apply(line) for line in new)


def _without_match(path: str, source: SourceText, edit: SearchReplace) -> SourceText:
    """An empty SEARCH fills an empty file; anything else is refused with what stands nearest."""
    search, new = edit.splits[0]
    if not _trimmed(search):
        if not source.text.strip():
            return source.splice(0, len(source.lines), new)
        raise EditError(f"The SEARCH part for {path} is empty", "Quote the lines that the new ones replace.")
    raise EditError(
        f"The SEARCH lines do not occur in {path}",
        f"Copy the old lines exactly as they stand.{_nearest(source.lines, _trimmed(search))}",
    )


def _nearest(lines: Lines, search: Lines) -> str:
    """The stretch of the file that shares the most lines with the search, as a hint; empty when none does."""
    wanted = {line.strip() for line in search if line.strip()}
    texts = [line.strip() in wanted for line in lines]
    scores = [sum(texts[at : at + len(search)]) for at in range(len(lines))]
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
