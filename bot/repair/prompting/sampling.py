"""How a model is asked next: greedily, from the attempt that came closest, or several times afresh.

Greedy first, then several diverse candidates; one is gone on from only while fewer tests fail, since at equal cost
refining seldom beats sampling. A fresh candidate starts from base: its prompt holds lessons, and no code that failed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.repair.stops import enumerated, failures, rounds, shrank
from bot.repair.types import Attempt, Verdict

WARM = 0.8
UNUSABLE = frozenset({Verdict.NOT_APPLIED, Verdict.REFUSED})


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample: its temperature, and a seed of its own, derived from its number so that a replay asks the same."""

    temperature: float
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """One round: what is drawn, going on from `parent` or, without one, from base.

    `greedy` is one likeliest answer, to which others can be had.
    """

    draws: tuple[Draw, ...]
    parent: Attempt | None = None
    greedy: bool = False

    def ordered(self, history: Sequence[Attempt]) -> tuple[Attempt, ...]:
        """The attempts of models, the one that is gone on from last."""
        own = tuple(attempt for attempt in history if not enumerated(attempt) and attempt is not self.parent)
        return own if self.parent is None else (*own, self.parent)


@dataclass(frozen=True, slots=True)
class Sampling:
    """`samples` are drawn in a fresh round, `refine`: whether one is gone on from, `first`: the warmth of greedy."""

    samples: int = 3
    refine: bool = True
    first: float = 0.0

    def plan(self, history: Sequence[Attempt]) -> Plan:
        """The next round, by what became of the earlier ones."""
        own = [attempt for attempt in history if not enumerated(attempt)]
        if not own:
            return self._greedy(None)
        every = rounds(own)
        last = every[-1]
        if all(attempt.verdict in UNUSABLE for attempt in last):
            repeated = len(own) > 1 and own[-2].reason == own[-1].reason
            # the reason goes back, and once that changes nothing, warmth may
            return Plan((self._warm(len(history) + 1),), last[-1]) if repeated else self._greedy(last[-1])
        if self.refine and (shrank(every) or not self.samples):
            return self._greedy(min(last, key=failures))
        return Plan(tuple(self._warm(len(history) + at) for at in range(1, max(self.samples, 1) + 1)))

    def _greedy(self, parent: Attempt | None) -> Plan:
        return Plan((Draw(self.first),), parent, greedy=self.samples > 0)

    def _warm(self, number: int) -> Draw:
        return Draw(max(self.first, WARM), number)
