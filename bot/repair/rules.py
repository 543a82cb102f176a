"""What a repair acts through and what binds it."""

from dataclasses import dataclass

from bot.repair.meter import Meter
from bot.repair.ports import Clock, Journal, Workspace
from bot.repair.verify import FAST_SUITE_SECONDS


@dataclass(frozen=True, slots=True)
class World:
    """The ports that the loop acts through, beside its proposers and its reflector, and what it may spend."""

    workspace: Workspace
    clock: Clock
    journal: Journal
    meter: Meter


@dataclass(frozen=True, slots=True)
class Rules:
    """What a repair may touch and run.

    `protected` are gitignore patterns on top of the built-in ones; a suite slower than `fast_suite_seconds` runs
    whole only for candidates that fixed something.
    """

    protected: tuple[str, ...] = ()
    fast_suite_seconds: float = FAST_SUITE_SECONDS
