"""Source for a prompt: the most suspicious code that fits, and the failing tests beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import EditError
from bot.repair import describe
from bot.repair.editing.sourcetext import decode
from bot.repair.localisation.localise import Suspect
from bot.repair.localisation.reach import MODULE, Graph, named
from bot.repair.prompting.blocks import is_plain
from bot.repair.sources.grammar import language_of
from bot.repair.sources.languages import PYTHON
from bot.repair.sources.syntax import functions, parse
from bot.repair.types import SourceFile
from sandbox.spec import TestResult

WHOLE_FILE_LINES = 150
MAX_TESTS = 3
_MOST = 60
"""Suspects; more would fill a long prompt with what nobody suspects much."""
_SEPARATOR = 2


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines [start, end] of a file, counted from 1; `title` heads them."""

    path: str
    start: int
    end: int
    title: str


def listing(
    suspects: Sequence[Suspect],
    files: Mapping[str, SourceFile],
    failing: Sequence[TestResult],
    room: int,
    *,
    numbered: bool = True,
) -> str:
    """Whole small files, else whole functions, in at most `room` bytes of UTF-8; what does not fit is left out.

    The first piece is cut where even it does not fit, so that there is always something to work on. `numbered` puts a
    number before each line, which costs tokens and helps only whoever quotes lines.
    """
    lines = {path: _lines(file) for path, file in files.items()}
    pieces = [*_suspicious(suspects[:_MOST], lines), *_whole(files, lines)]
    tests = list(_tests(failing, files, lines))
    blocks: list[str] = []
    for piece in _distinct([*pieces[:1], *tests, *pieces[1:]]):
        block = _shown(piece, lines[piece.path], numbered=numbered)
        weight = len(block.encode("utf-8", "surrogatepass")) + _SEPARATOR
        if weight <= room:
            blocks.append(block)
            room -= weight
        elif not blocks:
            blocks.append(_cut(piece, lines[piece.path], room, numbered=numbered))
            room = 0
    return "\n\n".join(blocks)


def _suspicious(suspects: Sequence[Suspect], lines: Mapping[str, tuple[str, ...]]) -> Iterator[_Piece]:
    """Functions of long files, and such a file as a whole where it is suspected without any function of its own."""
    shown: set[str] = set()
    for suspect in suspects:
        path, count = suspect.path, len(lines[suspect.path])
        if count <= WHOLE_FILE_LINES or not language_of(path):
            yield _Piece(path, 1, count, f"{path} (the whole file)")
        elif suspect.qualified_name != MODULE:
            shown.add(path)
            end = min(suspect.end_line, count)
            yield _Piece(path, suspect.start_line, end, f"{path} :: {suspect.qualified_name}")
        elif not path.endswith(PYTHON) and path not in shown:
            yield _Piece(path, 1, count, f"{path} (the whole file)")


def _whole(files: Mapping[str, SourceFile], lines: Mapping[str, tuple[str, ...]]) -> Iterator[_Piece]:
    """Files without any function, such as an empty module that is to be written."""
    for path, text in lines.items():
        tree = parse(files[path].data)
        if path.endswith(".py") and len(text) <= WHOLE_FILE_LINES and (tree is None or not functions(tree)):
            yield _Piece(path, 1, len(text), f"{path} (the whole file{'' if any(text) else ', which is empty'})")


def _tests(
    failing: Sequence[TestResult], files: Mapping[str, SourceFile], lines: Mapping[str, tuple[str, ...]]
) -> Iterator[_Piece]:
    for result in failing[:MAX_TESTS]:
        path, names = named(result.node_id)
        if path not in lines:
            continue
        if not path.endswith(PYTHON) and len(lines[path]) <= WHOLE_FILE_LINES:
            yield _Piece(path, 1, len(lines[path]), f"{path} (a failing test, not to be edited)")
            continue
        found = [place for place in Graph.of({path: files[path]}).places if place.name in names]
        for place in found:
            title = f"{path} :: {place.name} (a failing test, not to be edited)"
            yield _Piece(path, place.start_line, min(place.end_line, len(lines[path])), title)
        if not found and not path.endswith(PYTHON):
            yield _Piece(path, 1, len(lines[path]), f"{path} (a failing test, not to be edited)")


def _distinct(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    seen: set[tuple[str, int, int]] = set()
    for piece in pieces:
        key = piece.path, piece.start, piece.end
        if key not in seen:
            seen.add(key)
            yield piece


def _shown(piece: _Piece, lines: Sequence[str], *, numbered: bool) -> str:
    each = range(piece.start, piece.end + 1)
    text = "\n".join(f"{at:4}| {lines[at - 1]}" if numbered else lines[at - 1] for at in each)
    if not is_plain(piece.path):
        # a name is a stranger's text, too, and this one would read as more than a name
        text, title = f"{describe.one_line(piece.title)}\n{text}", "(a file whose name is its first line)"
        return f"{title}\n{describe.fenced(text, len(text))}"
    return f"{piece.title}\n{describe.fenced(text, len(text))}"


def _cut(piece: _Piece, lines: Sequence[str], room: int, *, numbered: bool) -> str:
    """As many of the piece's first lines as fit."""
    low, high = piece.start - 1, piece.end
    while low < high:
        middle = (low + high + 1) // 2
        block = _shown(_Piece(piece.path, piece.start, middle, piece.title), lines, numbered=numbered)
        low, high = (middle, high) if len(block.encode("utf-8", "surrogatepass")) <= room else (low, middle - 1)
    shown = _Piece(piece.path, piece.start, low, piece.title)
    return _shown(shown, lines, numbered=numbered) if low >= piece.start else ""


def _lines(file: SourceFile) -> tuple[str, ...]:
    try:
        return decode(file.path, file.data).lines
    except EditError:
        return ()
