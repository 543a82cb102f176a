"""Which files matter to some names: PageRank over who uses what others define, started from those names.

As in Aider's repository map: an edge leads from a file that uses a name to each file that defines it, the stronger the
fewer define it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from bot.repair.sources.outline import Outline

DAMPING = 0.85
ROUNDS = 20
MAX_DEFINERS = 8
"""A name that more files define says nothing."""

SHORTEST = 3


def rank(outlines: Mapping[str, Outline], wanted: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Files by how much leads from the wanted names to them, most first; without any such way a file is left out."""
    defined: dict[str, list[str]] = defaultdict(list)
    for path in sorted(outlines):
        for name in outlines[path].names:
            if len(name) >= SHORTEST:
                defined[name].append(path)
    start = _shares({name: defined[name] for name in dict.fromkeys(wanted) if name in defined})
    edges = {
        path: _shares({name: defined[name] for name in _uses(outline) if name in defined}, but=path)
        for path, outline in outlines.items()
    }
    scores = _walked(start, edges)
    return tuple(sorted(scores.items(), key=lambda item: (-round(item[1], 12), item[0])))


def _uses(outline: Outline) -> Collection[str]:
    return dict.fromkeys([*outline.uses, *(name for one in outline.definitions for name in one.uses)])


def _shares(definers: Mapping[str, Collection[str]], but: str = "") -> dict[str, float]:
    """Each name's weight spread over the files that define it, in all 1; empty where none does."""
    weights: dict[str, float] = defaultdict(float)
    for paths in definers.values():
        if len(paths) <= MAX_DEFINERS and but not in paths:
            for path in paths:
                weights[path] += 1 / len(paths) ** 2
    total = sum(weights.values())
    return {path: weight / total for path, weight in weights.items()}


def _walked(start: Mapping[str, float], edges: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    scores = dict(start)
    for _ in range(ROUNDS):
        fresh = {path: (1 - DAMPING) * share for path, share in start.items()}
        for path, score in scores.items():
            # Where a file leads nowhere, the walk begins again.
            for target, share in (edges.get(path) or start).items():
                fresh[target] = fresh.get(target, 0.0) + DAMPING * score * share
        scores = fresh
    return scores
