"""Fault localisation: which functions are to be suspected, and how much.

Two kinds of evidence add up. Frames of the tracebacks, the deepest one most (a crash). And, since a wrong value leaves
only the test's own frame, what the failing tests call, with the tests that pass as counterweight, as Ochiai weighs them
(Abreu et al. 2006): exactly, where it was observed, and then among equals those first that the tests name; else by what
each test names and what that calls in turn, found statically.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from bot.repair.localisation.observed import Covered
from bot.repair.localisation.ochiai import ochiai
from bot.repair.localisation.reach import HOP_DECAY, MAX_HOPS, MODULE, Graph, Place
from bot.repair.localisation.reading import file_of
from bot.repair.protection import BY_NAME, Protection
from bot.repair.sources.languages import PYTHON
from bot.repair.types import SourceFile
from sandbox.spec import TestResult

MAX_SUSPECTS = 200
MAX_TESTS = 400
_TRACEBACK_WEIGHT = 2.0
_FRAME_DECAY = 0.5
_MODULE_SHARE = 0.5
_FARTHEST = HOP_DECAY ** (MAX_HOPS + 1)
_UNCALLED_SHARE = 0.1

_Reach = tuple[float, int]
"""A score, and how many calls away."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """One function, or the code outside of functions (`<module>`); lines count from 1, `end_line` is inclusive.

    `source` says what points at it: `traceback`, `named` by a failing test, `called` or `reached` from one.
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
    covered: Sequence[Covered] = (),
) -> tuple[Suspect, ...]:
    """At most 200 suspects, the most suspicious first; ties by path and line, so that the order never varies.

    `files` are what was read of the repository; nothing outside of them, and nothing protected, is ever a suspect.
    `covered` is what was observed of tests near the failing ones; without a failing one among them it says nothing.
    """
    graph = Graph.of(files)
    sources = frozenset(path for path in files if protection.is_source(path))
    crashed = _by_traceback(failing, graph, sources)
    reached = _by_reach(failing, passing, graph)
    called = _by_calls(failing, covered, graph)
    if called:
        reached = _weighed(called, reached)
    scores = {
        place: _TRACEBACK_WEIGHT * crashed.get(place, 0.0) + reached.get(place, (0.0, 0))[0]
        for place in {*crashed, *reached, *_unreached(failing, graph, {*crashed, *reached}, sources)}
    }
    suspects = [
        Suspect(place.path, place.name, place.start_line, place.end_line, score, _why(place, crashed, reached, called))
        for place, score in scores.items()
        if place.path in sources
    ]
    suspects += _modules(suspects, reached, graph)
    suspects += _whole_files(failing, files, sources - graph.lines.keys())
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


def _by_reach(failing: Sequence[TestResult], passing: Collection[str], graph: Graph) -> dict[Place, _Reach]:
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


def _by_calls(failing: Sequence[TestResult], covered: Sequence[Covered], graph: Graph) -> dict[Place, float]:
    """Ochiai over observed calls, for the functions that were read; what a function encloses counts as its own."""
    scores: dict[Place, float] = {}
    for (path, line), score in ochiai({result.node_id for result in failing}, covered).items():
        place = graph.at(path, line)
        if place and place.name != MODULE:
            scores[place] = max(score, scores.get(place, 0.0))
    return scores


def _weighed(called: Mapping[Place, float], reached: Mapping[Place, _Reach]) -> dict[Place, _Reach]:
    """What was called, by its coefficient, halved the farther it is; what only might have been, at a tenth."""
    weighed = {place: (_UNCALLED_SHARE * score, hops) for place, (score, hops) in reached.items()}
    for place, score in called.items():
        hops = reached[place][1] if place in reached else MAX_HOPS + 1
        weighed[place] = score * (1 + max(HOP_DECAY ** max(hops, 0), _FARTHEST)) / 2, hops
    return weighed


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
    """Files of other languages, as wholes: by the share of tracebacks that name them, then in the order of reading."""
    others = [path for path in files if path in sources and not path.endswith(PYTHON)]
    for at, path in enumerate(others):
        named = sum(any(frame.path == path for frame in result.frames) for result in failing)
        score = _TRACEBACK_WEIGHT * named / max(len(failing), 1) + _FRAME_DECAY / (at + 1)
        lines = files[path].data.count(b"\n") + 1
        yield Suspect(path, MODULE, 1, lines, score, "traceback" if named else "reached")


def _why(
    place: Place, crashed: Mapping[Place, float], reached: Mapping[Place, _Reach], called: Mapping[Place, float]
) -> str:
    if place in crashed:
        return "traceback"
    if reached.get(place, (0.0, 1))[1] == 0:
        return "named"
    return "called" if place in called else "reached"


def _modules(suspects: Sequence[Suspect], reached: Mapping[Place, _Reach], graph: Graph) -> list[Suspect]:
    """Constants and tables: each suspect file's code outside of functions, at half of what calls say of its functions.

    Where it crashed says nothing of them.
    """
    worst: dict[str, float] = dict.fromkeys((suspect.path for suspect in suspects), 0.0)
    for place, (score, _) in reached.items():
        if place.path in worst:
            worst[place.path] = max(worst[place.path], score)
    named = {suspect.path for suspect in suspects if suspect.qualified_name == MODULE}
    return [
        Suspect(path, MODULE, 1, graph.line_count(path), score * _MODULE_SHARE, "reached")
        for path, score in worst.items()
        if path not in named
    ]
