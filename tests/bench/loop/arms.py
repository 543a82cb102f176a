"""What is compared. An arm of the product is a set of the settings that operators have, nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.loop import baselines
from bench.loop.baselines import Way
from bench.loop.found import Found, Stage
from bench.loop.tasks import BenchTask
from bench.subjects import InvalidMeasurementError
from pydantic import SecretStr

from bot.pipeline.mend import mend
from bot.pipeline.steps import Steps
from bot.repair.types import RepairResult, Usage
from bot.settings import Settings

NO_MODEL: Mapping[str, Any] = {"model": "", "openai_base_url": "", "openai_api_key": SecretStr("")}
MOST_ITERATIONS = 100
"""Tokens are what binds every arm alike."""
MINUTES = 60.0


@dataclass(frozen=True, slots=True)
class Arm:
    """`way` for a baseline, else the product with these `settings` over the operator's."""

    name: str
    way: Way | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asks(self) -> bool:
        """Whether it needs a model."""
        return "openai_base_url" not in self.settings

    def over(self, operators: Settings, tokens: int) -> Settings:
        """The settings that it runs with. Raises `InvalidMeasurementError` for one that there is not."""
        unknown = self.settings.keys() - Settings.model_fields.keys()
        if unknown:
            raise InvalidMeasurementError(f"The arm {self.name} needs settings that are none: {', '.join(unknown)}")
        bound = {"max_tokens": tokens, "max_iterations": MOST_ITERATIONS, "max_minutes": MINUTES}
        return operators.model_copy(update={**bound, **self.settings})

    def run(self, task: BenchTask, stage: Stage) -> Found:
        """Work on one task. Raises `WorkspaceError` where its tests cannot be run."""
        return baselines.run(self.way, task, stage) if self.way else _product(task, stage)


BASELINES = ("one-shot", "sampling", "append-history")
OURS, WITHOUT_MUTATION, MUTATION = "ours", "ours-without-mutation", "mutation"
ARMS = {
    arm.name: arm
    for arm in (
        Arm("one-shot", baselines.ONE_SHOT),
        Arm("sampling", baselines.SAMPLING),
        Arm("append-history", baselines.APPEND_HISTORY),
        Arm(WITHOUT_MUTATION, settings={"mutation_search": False}),
        Arm(OURS, settings={"mutation_search": True}),
        Arm(MUTATION, settings=NO_MODEL),
        Arm("ours-with-self-debug", settings={"self_debug": True}),
        Arm("ours-without-self-debug", settings={"self_debug": False}),
        Arm("ours-with-reflection", settings={"reflect": True}),
        Arm("ours-without-reflection", settings={"reflect": False}),
        Arm("ours-with-refinement", settings={"refine": True}),
        Arm("ours-without-refinement", settings={"refine": False}),
        Arm("ours-with-lessons", settings={"mutation_search": False, "lessons": True}),
        Arm("ours-without-samples", settings={"samples": 0}),
        Arm("ours-with-critic", settings={"roles": ("tester", "critic")}),
        Arm("ours-with-reviewer", settings={"roles": ("tester", "reviewer")}),
        Arm("ours-alone", settings={"roles": ("none",)}),
    )
}
COMPARED = (*BASELINES, WITHOUT_MUTATION, OURS, MUTATION)
"""What is run unless ARMS says otherwise."""


def named(wanted: str) -> tuple[Arm, ...]:
    """Those with these names, with commas between. Raises `InvalidMeasurementError`."""
    names = [name.strip() for name in wanted.split(",") if name.strip()] or list(COMPARED)
    if unknown := [name for name in names if name not in ARMS]:
        raise InvalidMeasurementError(f"There is no arm {', '.join(unknown)}; there are {', '.join(ARMS)}")
    return tuple(ARMS[name] for name in names)


def _product(task: BenchTask, stage: Stage) -> Found:
    steps = Steps(stage.ports.clock, stage.ports.journal)
    mended = mend(stage.base, (task.title, task.text), task.choose, stage.ports, steps, stage.terms)
    if mended.result is None:
        return Found(mended.baseline, None, None, "nothing_red", "no target fails", mended.usage, 0, origin="")
    return _found(mended.result, mended.usage, set(task.choose(mended.baseline)))


def _found(result: RepairResult, usage: Usage, targets: set[str]) -> Found:
    proposal = result.solution.proposal if result.solution else None
    plausible = next(
        (
            attempt.proposal.patch
            for attempt in result.attempts
            if attempt.proposal and targets <= set(attempt.comparison.fixed)
        ),
        None,
    )
    return Found(
        baseline=result.baseline,
        solution=proposal.patch if proposal else None,
        plausible=plausible,
        stop=result.stop.value,
        detail=result.detail,
        usage=usage,
        attempts=len(result.attempts),
        origin=proposal.origin.value if proposal else "",
    )
