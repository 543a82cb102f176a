"""What a repair acts through and what binds it."""

from dataclasses import dataclass

from bot.repair.meter import Meter
from bot.repair.ports import Clock, Journal, Reviewer, Workspace
from bot.repair.stops import PATIENCE
from bot.repair.verify import FAST_SUITE_SECONDS


@dataclass(frozen=True, slots=True)
class World:
    """The ports that the loop acts through, beside its proposers and its reflector, and what it may spend.

    `reviewer` is asked about what passes every test, and may veto it. Without one `doubter` is asked about what a
    search came upon, and its doubt keeps that in reserve for when nobody finds anything better.
    """

    workspace: Workspace
    clock: Clock
    journal: Journal
    meter: Meter
    reviewer: Reviewer | None = None
    doubter: Reviewer | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What a repair may touch and run.

    `protected` are gitignore patterns on top of the built-in ones; a suite slower than `fast_suite_seconds` runs
    whole only for candidates that fixed something. `patience` is how many rounds of fresh candidates in a row may come
    no closer; failing alike is allowed for one round more.
    """

    protected: tuple[str, ...] = ()
    fast_suite_seconds: float = FAST_SUITE_SECONDS
    patience: int = PATIENCE
