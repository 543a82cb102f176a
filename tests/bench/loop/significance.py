"""Whether one arm is better than another on the same tasks, or was lucky."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True, slots=True)
class Paired:
    """Tasks that only the first arm solved, and those that only the second did; what both or neither did says nothing.

    `p` is that of an exact two-sided sign test.
    """

    wins: int
    losses: int
    tasks: int

    @property
    def p(self) -> float:
        """How likely a split at least as uneven is, were both arms equally good."""
        return sign_test(self.wins, self.losses)


def paired(first: Mapping[str, bool], second: Mapping[str, bool]) -> Paired:
    """Compare by task over those that both have."""
    both = first.keys() & second.keys()
    wins = sum(first[name] and not second[name] for name in both)
    losses = sum(second[name] and not first[name] for name in both)
    return Paired(wins, losses, len(both))


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided p of a fair coin that fell `wins` times one way and `losses` times the other."""
    tosses = wins + losses
    tail = sum(comb(tosses, count) for count in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << tosses))
