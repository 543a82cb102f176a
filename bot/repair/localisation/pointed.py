"""Where to look for a change that people ask for: at the lines that they point at, then at what their words name."""

from collections.abc import Mapping, Sequence

from bot.repair.asked import NOTHING
from bot.repair.localisation.localise import MAX_SUSPECTS, Suspect
from bot.repair.localisation.mentions import mentioned, ranked
from bot.repair.localisation.reach import MODULE, Graph
from bot.repair.protection import Protection
from bot.repair.types import SourceFile, Task

MAX_READ = 10
SCORE = 10.0
"""More than any evidence from tests comes to: somebody has said where."""


def leads(task: Task, known: Sequence[str], protection: Protection) -> tuple[str, ...]:
    """The sources to read first: those that were pointed at; without any, and without a test, what the text names."""
    present = frozenset(known)
    paths = dict.fromkeys(spot.path for spot in task.asked.spots)
    spots = tuple(path for path in paths if path in present and protection.is_source(path))
    if spots or not task.asked.unshown:
        return spots[:MAX_READ]
    sources = [path for path in known if protection.is_source(path)]
    return tuple(ranked(sources, f"{task.title}\n{task.text}")[:MAX_READ])


def with_pointed(
    task: Task, files: Mapping[str, SourceFile], suspects: tuple[Suspect, ...], protection: Protection
) -> tuple[Suspect, ...]:
    """The suspects, those before them that people point at; where no test leads anywhere, those that their words do."""
    if task.asked == NOTHING:
        return suspects
    sources = tuple(path for path in files if protection.is_source(path))
    graph = Graph.of({path: files[path] for path in sources})
    spots = (spot for spot in task.asked.spots if spot.path in sources)
    pointed = [_at(graph, spot.path, spot.line, files[spot.path]) for spot in spots]
    named = mentioned(f"{task.title}\n{task.text}", files, sources) if task.asked.unshown else ()
    found = {(one.path, one.start_line, one.end_line): one for one in reversed((*pointed, *named, *suspects))}
    return tuple(reversed(found.values()))[:MAX_SUSPECTS]


def _at(graph: Graph, path: str, line: int, file: SourceFile) -> Suspect:
    place = graph.at(path, line)
    if place is None:
        return Suspect(path, MODULE, 1, file.data.count(b"\n") + 1, SCORE, "asked")
    return Suspect(path, place.name, place.start_line, place.end_line, SCORE, "asked")
