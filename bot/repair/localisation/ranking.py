"""Where localisation ranked what was really edited, function by function, and how often that is near the top."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.repair.localisation.localise import Suspect
from bot.repair.localisation.reach import MODULE, Graph, Place
from bot.repair.types import Patch, SourceFile

TOP = (1, 3, 5, 10)
MAX_COMPARED = 4_000_000
"""Pairs of lines: beyond that, every line between the first and the last that differ counts as changed."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of one edited function among `total` suspects, from 1; 0 where it is not one of them."""

    path: str
    qualified_name: str
    rank: int
    total: int


def ranks(patch: Patch, before: Mapping[str, bytes], suspects: Sequence[Suspect]) -> tuple[Rank, ...]:
    """Ranks of the functions whose lines a patch changes, best first; what is outside of them is its `<module>`.

    `before` maps the patched paths that exist to their content. A new file has no rank, and a file that cannot be read
    has one as a whole.
    """
    first: dict[tuple[str, str], int] = {}
    for at, suspect in enumerate(suspects, 1):
        first.setdefault((suspect.path, suspect.qualified_name), at)
    edited = dict.fromkeys(
        (change.path, name)
        for change in patch.changes
        if change.path in before
        for name in _edited(change.path, before[change.path], change.content or b"")
    )
    found = [Rank(path, name, first.get((path, name), 0), len(suspects)) for path, name in edited]
    return tuple(sorted(found, key=lambda rank: (rank.rank == 0, rank.rank, rank.path, rank.qualified_name)))


def accuracy(found: Sequence[int], top: Sequence[int] = TOP) -> dict[int, float]:
    """For each k the share of ranks in 1..k; ranks of 0 are misses. Without any rank every share is 0."""
    return {most: sum(0 < rank <= most for rank in found) / max(len(found), 1) for most in top}


def _edited(path: str, old: bytes, new: bytes) -> Iterator[str]:
    """The innermost functions around lines that go or before which some come."""
    graph = Graph.of({path: SourceFile(path, old)})
    for line in _changed(old.splitlines(), new.splitlines()):
        place: Place | None = graph.at(path, line)
        yield place.name if place else MODULE


def _changed(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[int]:
    """Line numbers of the old text, from 1; what is added counts to the line before it."""
    first, last = _differing(old, new)
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    if len(before) * len(after) > MAX_COMPARED:
        yield from range(first + 1, first + len(before) + 1)
        return
    # Junk is for prose: here a line that occurs often counts like any other.
    for tag, start, end, _, _ in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "insert":
            yield max(min(first + start, len(old)), 1)
        elif tag != "equal":
            yield from range(first + start + 1, first + end + 1)


def _differing(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, int]:
    """How many lines are alike at the start, and of the others at the end."""
    most = min(len(old), len(new))
    first = next((at for at in range(most) if old[at] != new[at]), most)
    last = next((at for at in range(most - first) if old[-1 - at] != new[-1 - at]), most - first)
    return first, last
