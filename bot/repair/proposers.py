"""Who proposes in which order, and how much of a run each may take before the next one is asked."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.repair.ports import Opinion, Proposer, Reviewer
from bot.repair.types import Baseline, BudgetLimits, Origin, Proposal, Task


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


@dataclass(frozen=True, slots=True)
class Unasked:
    """No opinion."""

    approve: bool = True
    reason: str = "not reviewed: a model is its author"


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Asks a reviewer about what a search came upon, which no model has looked at yet."""

    reviewer: Reviewer

    def review(self, task: Task, baseline: Baseline, proposal: Proposal, before: Mapping[str, bytes]) -> Opinion:
        """The reviewer's opinion of a mutation, and none of anything else."""
        if proposal.origin is not Origin.MUTATION:
            return Unasked()
        return self.reviewer.review(task, baseline, proposal, before)


def names(arms: tuple[Arm, ...]) -> str:
    """What reports call them, in the order in which they are asked."""
    return ", then ".join(dict.fromkeys(arm.proposer.name for arm in arms))
