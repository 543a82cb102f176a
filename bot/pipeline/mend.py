"""Baseline, targets, repair: the part of a fix that is the same with and without GitHub."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from bot.errors import WorkspaceError
from bot.pipeline.aim import Aim, Choose, Writing, write
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.pipeline.team import metered, proposers, reviewers
from bot.repair.asked import NOTHING, Asked, Spot
from bot.repair.integrity.remarks import Remarks, remarks
from bot.repair.loop import repair
from bot.repair.measuring.baseline import measure
from bot.repair.measuring.counted import CountedRuns
from bot.repair.measuring.flaky import steady
from bot.repair.meter import Meter
from bot.repair.proposers import names
from bot.repair.reproduction.additions import AddedTests
from bot.repair.reproduction.reproduce import Reproduction
from bot.repair.rules import Rules, World
from bot.repair.team.facts import Facts
from bot.repair.types import Base, Baseline, BudgetLimits, Patch, RepairResult, Task, Usage

MAX_UNMET = 12
MAX_SAID = 2000

Tell = Callable[[Aim, Baseline], None]
"""Takes what is aimed at as soon as that is known; an aim without targets has a test written for it now."""


def _untold(aim: Aim, baseline: Baseline) -> None:
    """Nobody wants to know."""
    del aim, baseline


@dataclass(frozen=True, slots=True)
class Terms:
    """What binds one repair; `protected` gitignore patterns come on top of the built-in ones.

    Without `writing` no test is written where the choice of targets finds none. With `spots`, be they none, people ask
    for a change, which is made where nothing is red as well: then the whole suite is its guard.
    """

    budget: BudgetLimits
    protected: tuple[str, ...] = ()
    facts: Facts = field(default_factory=Facts)
    writing: Writing | None = None
    tell: Tell = _untold
    spots: tuple[Spot, ...] | None = None


@dataclass(frozen=True, slots=True)
class Mended:
    """`result` is `None` when nothing was tried; `proposer` names who proposed; `usage` is what all calls cost.

    `unshown` says that no test was chosen and a change made all the same, since people asked for it. `baseline` knows
    the test that was written, if one counts; see `Aim` for `found`.
    """

    base: Base
    baseline: Baseline
    proposer: str
    result: RepairResult | None
    usage: Usage = field(default_factory=Usage)
    found: Reproduction | None = None
    remarks: Remarks = field(default_factory=Remarks)
    unshown: bool = False


def mend(base: Base, about: tuple[str, str], choose: Choose, ports: LoopPorts, steps: Steps, terms: Terms) -> Mended:
    """Measure the baseline, choose the targets or have one written, repair. `about` is title and text, untrusted.

    Raises `WorkspaceError` when the suite cannot be measured, `ModelError` as `aim.write` does.
    """
    ports = replace(ports, workspace=CountedRuns(ports.workspace, ports.journal))
    # before the baseline: whoever waits for a run waits for that, too
    meter = Meter(terms.budget, ports.clock)
    with steps.step("baseline"), _lacking(base):
        baseline = measure(ports.workspace, base, slow_seconds=terms.budget.slow_suite_seconds)
        baseline = steady(ports.workspace, base, baseline)
    ports = replace(ports, models=metered(ports.models, terms.facts, meter))
    aim = _aim(choose, baseline, steps, terms, lambda one: write(base, about, baseline, one, ports, terms.facts))
    if aim.found is not None and aim.found.test is not None:
        # From here on the new test is part of the tree: whoever runs, reads or lists it sees it.
        ports = replace(ports, workspace=AddedTests(ports.workspace, aim.found.additions))
        baseline = aim.found.extended(baseline)
    asked = _asked(aim, baseline, terms)
    arms, reflector = proposers(ports, terms.facts, terms.protected, search=not asked.unshown)
    result, said = None, Remarks()
    if aim.targets or (asked.unshown and arms):
        task = Task(base, *about, aim.targets, aim.found.additions if aim.found else Patch(), asked)
        world = World(ports.workspace, ports.clock, ports.journal, meter, *reviewers(ports, terms.facts))
        rules = Rules(terms.protected, patience=terms.facts.coder.can.patience)
        with steps.step("repair"):
            result = repair(task, baseline, arms, reflector, world, rules)
            said = remarks(ports.workspace, task, result)
    return Mended(base, baseline, names(arms), result, meter.spent, aim.found, said, asked.unshown)


def _asked(aim: Aim, baseline: Baseline, terms: Terms) -> Asked:
    """What people ask for; a suite of which nothing passes guards nothing, so that nothing is tried without a test."""
    if terms.spots is None:
        return NOTHING
    return Asked(terms.spots, unshown=not aim.targets and bool(baseline.passing))


def _aim(choose: Choose, baseline: Baseline, steps: Steps, terms: Terms, written: Callable[[Writing], Aim]) -> Aim:
    writing = terms.writing
    if writing is None or writing.approved is None:
        with steps.step("targets"):
            aim = Aim(choose(baseline))
            if aim.targets or writing:
                terms.tell(aim, baseline)
        if aim.targets or writing is None:
            return aim
    with steps.step("reproduce"):
        aim = written(writing)
        if aim.targets:
            terms.tell(aim, baseline)
        return aim


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
