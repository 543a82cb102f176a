"""What a line of a failing test's message says, whichever runner wrote it: a value, a difference, words, or nothing.

The forms are those of pytest, unittest, jest, vitest, mocha and chai, node:test, go test and testify.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise


class Rank(IntEnum):
    """What is kept first."""

    FIRST = 0
    VALUE = 1
    DIFFERENCE = 2
    WORDS = 3
    NOISE = 4


_VALUE = re.compile(
    r"^\s*(?:assert\b|where\b|and where\b|E\b|\+\s+where\b|[\w.]*(?:Error|Exception|Failure)\b|panic:|fatal error:"
    r"|caused by\b|while handling \w|sub-exception \w|also raised\b|At index \d+ diff|At key |First differing"
    r"|(?:Left|Right|First|Second) contains|Error:|Error Trace:|Messages?:|Expected\b|Received\b|Obtained\b|Actual\b"
    r"|expect\(|[\w./-]+\.go:\d+:)"
    r"|\b(?:expected|received|actual|want(?:ed)?|got)\b|\s(?:!==?|===?|<=|>=)\s",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"^\s{0,8}[-+?](?![-+]{2})\S?|^\s*>\s*\d+ ?\|")
_NOISE = re.compile(
    r"^\s*$|^\s*\d+ ?\||^\s*\|?\s*[\^~]+\s*$"
    r"|^\s*at .*(?:node_modules|node:|internal/|<anonymous>\)?$)|^\s*at (?:process|new Promise|async Promise)"
    r"|^\s*\u276f .*(?:node_modules|node:)|^\s*(?:at|\u276f) .*(?:chai|vitest|jest|mocha)[\w.@-]*/"
    r"|^goroutine \d+|^created by |^(?:testing|runtime|reflect|panic)[.(]|^\s+/usr/\S*/go|^exit status \d+|^FAIL\b"
    r"|^\s*(?:---|===) (?:FAIL|RUN|PAUSE|CONT)\b|^\[signal |^\s*\.\.\.\s*$|use -vv? to |^\s*Omitting \d+ identical"
    r"|^\s*Diff is \d+ characters long|^\s*Test:\s|^\u23af+|^\s*\?\s+[\s^+-]*$|^\s*@@ ",
    re.IGNORECASE,
)
_BETWEEN = r"!==|===|!=|==|to equal|to deeply equal|to be|to strictly equal"
_SIDES = re.compile(rf"(?<=\S) (?:{_BETWEEN}) (?=\S)")
_SIDE = re.compile(r"\s*(?:(?:expected|actual|received|want|got)\s*:\s*|(?P<sign>[-+]) )", re.IGNORECASE)
_LEAD = re.compile(r"(?:[\s:]*)(?:E\s+)?(?:assert |AssertionError: (?:assert )?|expected )?")
MAX_SCANNED = 40_000
_LEAST = 60
_NEAR = 4


def ranks(lines: Sequence[str]) -> tuple[Rank, ...]:
    """The rank of each line; a line that stands there twice counts the first time, but for differences."""
    seen: set[str] = set()
    found: list[Rank] = []
    pending = 0
    for at, line in enumerate(lines):
        rank = _rank(line) if at else Rank.FIRST
        if line.strip():
            if pending and rank in {Rank.WORDS, Rank.DIFFERENCE}:
                rank = Rank.VALUE
            pending = _promised(line, rank) or max(pending - 1, 0)
        found.append(Rank.NOISE if line in seen and rank is not Rank.DIFFERENCE else rank)
        seen.add(line)
    return tuple(found)


def _promised(line: str, rank: Rank) -> int:
    """How many lines with values a line announces."""
    if line.lstrip().startswith("First differing element"):
        return 2
    return int(rank in {Rank.VALUE, Rank.DIFFERENCE} and line.rstrip().endswith(":"))


def _rank(line: str) -> Rank:
    if _NOISE.search(line):
        return Rank.NOISE
    if _DIFFERENCE.match(line) and not line.lstrip("+ ").startswith("where"):
        return Rank.DIFFERENCE
    return Rank.VALUE if _VALUE.search(line) else Rank.WORDS


def all_shortened(lines: Sequence[str], limit: int) -> list[str]:
    """Each line of at most `limit` characters; of two values one below the other, the stretch where they differ."""
    shown = [shortened(line, limit) for line in lines]
    # The third line of a difference by `ndiff` points at letters of the other two.
    places = [at for at, line in enumerate(lines) if not line.lstrip().startswith("? ")]
    for at, other in pairwise(places):
        first, second = _SIDE.match(lines[at]), _SIDE.match(lines[other])
        # Lines of a difference give way before values do: the two have to find room beside the frames.
        room = limit // 2 if first and first["sign"] else limit
        if first and second and first[0] != second[0] and max(len(lines[at]), len(lines[other])) > room:
            left, right = lines[at][first.end() : MAX_SCANNED], lines[other][second.end() : MAX_SCANNED]
            shared, room = _shared(left, right), room - max(len(first[0]), len(second[0]))
            shown[at] = first[0] + _around(left, shared, room)
            shown[other] = second[0] + _around(right, shared, room)
    return shown


def shortened(line: str, limit: int) -> str:
    """A line of at most `limit` characters: both sides of a comparison around where they differ, else both ends."""
    if len(line) <= limit:
        return line
    sides = _SIDES.search(line, 0, MAX_SCANNED) if limit >= _LEAST else None
    if sides:
        left, right = line[: sides.start()], line[sides.end() : sides.end() + MAX_SCANNED]
        lead = _LEAD.match(left)
        head, left = (lead[0], left[lead.end() :]) if lead else ("", left)
        room = (limit - len(head) - len(sides[0])) // 2
        if room > _NEAR:
            shared = _shared(left, right)
            return f"{head}{_around(left, shared, room)}{sides[0]}{_around(right, shared, room)}"
    return middle(line, limit)


def middle(text: str, limit: int) -> str:
    """Both ends of a text that is too long."""
    if len(text) <= limit:
        return text
    half = max(limit - 3, 0) // 2
    return f"{text[:half]}...{text[len(text) - half :]}"[: max(limit, 0)]


def _shared(left: str, right: str) -> int:
    """How many characters two texts begin with in common."""
    return next((at for at, (one, two) in enumerate(zip(left, right, strict=False)) if one != two), 0)


def _around(text: str, at: int, room: int) -> str:
    """The stretch of a text that holds a place, in at most `room` characters."""
    if len(text) <= room:
        return text
    start = max(min(at - room // 3, len(text) - room + 3), 0)
    if start < _NEAR:
        return f"{text[: max(room - 3, 0)]}..."[:room]
    kept = f"...{text[start:]}"
    return kept if len(kept) <= room else f"{kept[: room - 3]}..."
