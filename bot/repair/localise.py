"""Fault localisation: which functions are to be suspected, and how much.

Two kinds of evidence add up. Frames of the tracebacks, the deepest one most (a crash). And, since a wrong value leaves
only the test's own frame, what each test names and what that calls in turn, found statically and scored as Ochiai does
(Abreu et al. 2006) with the tests that pass as counterweight; coverage would measure the same thing exactly.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from bot.repair.languages import PYTHON
from bot.repair.protection import BY_NAME, Protection
from bot.repair.reach import MODULE, Graph, Place
from bot.repair.reading import file_of
from bot.repair.types import SourceFile
from sandbox.spec import TestResult

MAX_SUSPECTS = 60
MAX_TESTS = 400
_TRACEBACK_WEIGHT = 2.0
_FRAME_DECAY = 0.5
_MODULE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Suspect:
    """One function, or the code outside of functions (`<module>`); lines count from 1, `end_line` is inclusive.

    `source` says what points at it: `traceback`, `named` by a failing test, or `reached` from one.
    """

    path: str
    qualified_name: str
    start_line: int
    end_line: int
    score: float
    source: str


def localise(
    failing: Sequence[TestResult],
    passing: Collection[str],
    files: Mapping[str, SourceFile],
    protection: Protection = BY_NAME,
) -> tuple[Suspect, ...]:
    """At most 60 suspects, the most suspicious first; ties by path and line, so that the order never varies.

    `files` are what was read of the repository; nothing outside of them, and nothing protected, is ever a suspect.
    """
    graph = Graph.of(files)
    sources = frozenset(path for path in files if protection.is_source(path))
    crashed = _by_traceback(failing, graph, sources)
    reached = _by_reach(failing, passing, graph)
    scores = {
        place: _TRACEBACK_WEIGHT * crashed.get(place, 0.0) + reached.get(place, (0.0, 0))[0]
        for place in {*crashed, *reached, *_unreached(failing, graph, {*crashed, *reached}, sources)}
    }
    suspects = [
        Suspect(place.path, place.name, place.start_line, place.end_line, score, _why(place, crashed, reached))
        for place, score in scores.items()
        if place.path in sources
    ]
    suspects += _modules(suspects, graph)
    suspects += _whole_files(failing, files, sources)
    suspects.sort(key=lambda suspect: (-round(suspect.score, 9), suspect.path, suspect.start_line))
    return tuple(suspects[:MAX_SUSPECTS])


def _by_traceback(failing: Sequence[TestResult], graph: Graph, sources: Collection[str]) -> dict[Place, float]:
    """The share of failing tests whose traceback runs through a function, less for each frame below it."""
    scores: dict[Place, float] = defaultdict(float)
    for result in failing:
        weight, seen = 1.0, set[Place]()
        for frame in reversed(result.frames):
            place = graph.at(frame.path, frame.line) if frame.path in sources else None
            if place and place not in seen:
                seen.add(place)
                scores[place] += weight / len(failing)
                weight *= _FRAME_DECAY
    return scores


def _by_reach(failing: Sequence[TestResult], passing: Collection[str], graph: Graph) -> dict[Place, tuple[float, int]]:
    """Ochiai over what each test reaches, weighted by how far away it is, with the least distance."""
    red: dict[Place, float] = defaultdict(float)
    green: dict[Place, float] = defaultdict(float)
    distance: dict[Place, int] = {}
    for node_id in list(dict.fromkeys(result.node_id for result in failing))[:MAX_TESTS]:
        for place, (weight, hops) in graph.reached_from(node_id).items():
            red[place] += weight
            distance[place] = min(hops, distance.get(place, hops))
    files = {file_of(result.node_id) for result in failing}
    near = [node_id for node_id in passing if file_of(node_id) in files]
    for node_id in near[:MAX_TESTS]:
        for place, (weight, _) in graph.reached_from(node_id).items():
            green[place] += weight
    count = max(len(failing), 1)
    return {
        place: (weight / sqrt(count * (weight + green.get(place, 0.0))), distance[place])
        for place, weight in red.items()
    }


def _unreached(
    failing: Sequence[TestResult], graph: Graph, found: Collection[Place], sources: Collection[str]
) -> tuple[Place, ...]:
    """Every function of the sources, where no evidence points at any: the last resort."""
    if not failing or any(place.path in sources for place in found):
        return ()
    return tuple(place for place in graph.places if place.path in sources)


def _whole_files(
    failing: Sequence[TestResult], files: Mapping[str, SourceFile], sources: Collection[str]
) -> Iterator[Suspect]:
    """What is no Python, as whole files: by the share of tracebacks that name them, then in the order of reading."""
    others = [path for path in files if path in sources and not path.endswith(PYTHON)]
    for at, path in enumerate(others):
        named = sum(any(frame.path == path for frame in result.frames) for result in failing)
        score = _TRACEBACK_WEIGHT * named / max(len(failing), 1) + _FRAME_DECAY / (at + 1)
        lines = files[path].data.count(b"\n") + 1
        yield Suspect(path, MODULE, 1, lines, score, "traceback" if named else "reached")


def _why(place: Place, crashed: Mapping[Place, float], reached: Mapping[Place, tuple[float, int]]) -> str:
    if place in crashed:
        return "traceback"
    return "named" if reached.get(place, (0.0, 1))[1] == 0 else "reached"


def _modules(suspects: Sequence[Suspect], graph: Graph) -> list[Suspect]:
    """Constants and tables: each suspect file's code outside of functions, at half the score of its worst function."""
    worst: dict[str, float] = defaultdict(float)
    for suspect in suspects:
        worst[suspect.path] = max(worst[suspect.path], suspect.score)
    named = {suspect.path for suspect in suspects if suspect.qualified_name == MODULE}
    return [
        Suspect(path, MODULE, 1, graph.line_count(path), score * _MODULE_SHARE, "reached")
        for path, score in worst.items()
        if path not in named
    ]
