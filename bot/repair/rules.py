"""What a repair acts through and what binds it."""

from dataclasses import dataclass, field

from bot.repair.gate import FAST_SUITE_SECONDS
from bot.repair.ports import Clock, Journal, Workspace
from bot.repair.types import BudgetLimits


@dataclass(frozen=True, slots=True)
class World:
    """The ports that the loop acts through, beside its proposer and its reflector."""

    workspace: Workspace
    clock: Clock
    journal: Journal


@dataclass(frozen=True, slots=True)
class Rules:
    """What a repair may spend and touch.

    `protected` are gitignore patterns on top of the built-in ones; a suite slower than `fast_suite_seconds` runs
    whole only for candidates that fixed something.
    """

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    protected: tuple[str, ...] = ()
    fast_suite_seconds: float = FAST_SUITE_SECONDS
