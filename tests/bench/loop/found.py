"""What an arm acts through, and what it comes back with."""

from dataclasses import dataclass

from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.repair.types import Base, Baseline, Patch, Usage


@dataclass(frozen=True, slots=True)
class Stage:
    """One task set up for one arm."""

    base: Base
    ports: LoopPorts
    terms: Terms


@dataclass(frozen=True, slots=True)
class Found:
    """How an arm ended: what it stands for, and the first patch under which the targets passed."""

    baseline: Baseline
    solution: Patch | None
    plausible: Patch | None
    stop: str
    detail: str
    usage: Usage
    attempts: int
    origin: str = "model"
