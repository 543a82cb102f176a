"""Everything that a patch adds and that a cheat would add, from every check."""

from collections.abc import Iterator, Mapping, Sequence

from bot.repair.integrity.added import added
from bot.repair.integrity.answers import answers
from bot.repair.integrity.bending import bending
from bot.repair.integrity.ending import ending
from bot.repair.integrity.expectations import Expectations
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.integrity.hiding import hiding
from bot.repair.integrity.pinned import pinned
from bot.repair.integrity.scripts import scripts
from bot.repair.integrity.special import special
from bot.repair.integrity.suites import NO_SUITES, Suites
from bot.repair.integrity.surroundings import surroundings
from bot.repair.integrity.tables import tables
from bot.repair.sources.languages import SOURCES
from bot.repair.types import FileChange, Patch, SourceFile

MAX_FLAGS = 50


def flags(patch: Patch, before: Mapping[str, bytes], tests: Suites = NO_SUITES) -> tuple[Flag, ...]:
    """What a patch adds, those that refuse it first; at most `MAX_FLAGS`.

    `before` maps the patched paths that exist to their content; of the literals in `tests` it is said when they are
    copied, see `bot.repair.integrity.suites.suites`.
    """
    files = tests.files
    found: dict[Flag, None] = {}
    for change in patch.changes:
        try:
            found |= dict.fromkeys(_of(change, before.get(change.path), files, tests.known))
        except RecursionError:
            found[Flag(Kind.HIDDEN, change.path, "is nested too deeply to be read", refuses=True)] = None
    return tuple(sorted(found, key=lambda flag: not flag.refuses))[:MAX_FLAGS]


def _of(change: FileChange, before: bytes | None, tests: Sequence[SourceFile], known: Expectations) -> Iterator[Flag]:
    new = added(change, before)
    if new is None:
        yield from scripts(change, before, tests, known.names)
        yield from () if change.path.endswith(SOURCES) else tables(change, before, known)
        return
    yield from answers(new, known)
    yield from special(new, known)
    yield from pinned(new, known)
    yield from surroundings(new, known)
    yield from bending(new)
    yield from ending(new)
    yield from hiding(new, tests)
