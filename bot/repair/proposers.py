"""Who proposes in which order, and how much of a run each may take before the next one is asked."""

from dataclasses import dataclass

from bot.repair.ports import Proposer
from bot.repair.types import BudgetLimits


@dataclass(frozen=True, slots=True)
class Arm:
    """A proposer and the part of a run's iterations and seconds that it may use. The last one of a run has all."""

    proposer: Proposer
    share: float = 1.0

    def used_up(self, limits: BudgetLimits, iterations: int, seconds: float) -> bool:
        """Whether the next arm is due; an arm has one iteration at least."""
        if self.share >= 1:
            return False
        return iterations >= max(1, int(self.share * limits.iterations)) or seconds >= self.share * limits.wall_seconds


def names(arms: tuple[Arm, ...]) -> str:
    """What reports call them, in the order in which they are asked."""
    return ", then ".join(dict.fromkeys(arm.proposer.name for arm in arms))
