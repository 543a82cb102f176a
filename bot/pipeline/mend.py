"""Baseline, targets, repair: the part of a fix that is the same with and without GitHub."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from bot.errors import WorkspaceError
from bot.pipeline.ports import LoopPorts
from bot.pipeline.steps import Steps
from bot.pipeline.team import metered, proposers
from bot.repair.baseline import measure
from bot.repair.facts import Facts
from bot.repair.loop import repair
from bot.repair.meter import Meter
from bot.repair.proposers import names
from bot.repair.rules import Rules, World
from bot.repair.types import Base, Baseline, BudgetLimits, RepairResult, Task

MAX_UNMET = 12
MAX_SAID = 2000

Choose = Callable[[Baseline], tuple[str, ...]]
"""Baseline → the red ids that the job is about; none when there is nothing to repair."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What binds one repair; `protected` gitignore patterns come on top of the built-in ones."""

    budget: BudgetLimits
    protected: tuple[str, ...] = ()
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True)
class Mended:
    """`result` is `None` when no test was chosen; `proposer` names who proposed."""

    base: Base
    baseline: Baseline
    proposer: str
    result: RepairResult | None


def mend(base: Base, about: tuple[str, str], choose: Choose, ports: LoopPorts, steps: Steps, terms: Terms) -> Mended:
    """Measure the baseline, choose the targets, repair. `about` is title and text, untrusted.

    Raises `WorkspaceError` when the suite cannot be measured.
    """
    with steps.step("baseline"), _lacking(base):
        baseline = measure(ports.workspace, base)
    with steps.step("targets"):
        chosen = choose(baseline)
    meter = Meter(terms.budget, ports.clock)
    ports = replace(ports, models=metered(ports.models, terms.facts, meter))
    arms, reflector = proposers(ports, terms.facts)
    if not chosen:
        return Mended(base, baseline, names(arms), None)
    title, text = about
    world = World(ports.workspace, ports.clock, ports.journal, meter)
    with steps.step("repair"):
        result = repair(Task(base, title, text, chosen), baseline, arms, reflector, world, Rules(terms.protected))
    return Mended(base, baseline, names(arms), result)


@contextmanager
def _lacking(base: Base) -> Iterator[None]:
    """Say what the repository asked for and got nowhere here: it may be why its suite cannot be measured."""
    try:
        yield
    except WorkspaceError as error:
        if not base.recipe.unmet:
            raise
        lacking = " ".join(base.recipe.unmet[:MAX_UNMET])[:MAX_SAID]
        raise type(error)(error.cause, f"{error.remedy} Or the cause is what is missing here: {lacking}") from error
