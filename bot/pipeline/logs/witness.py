"""What a run's log needs so that its decisions can be made again: every call's result, whole, and what they start from.

The loop sees what the log holds: secrets are concealed in a result before anybody decides on it. Files stay as they
are, byte for byte, and so do names that merely look like a secret, for both are what a patch is made of.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bot.codec import canonical, codec_for, digest
from bot.errors import LogError
from bot.pipeline.aim import Choose, Writing
from bot.pipeline.governance.concealing import Concealing, concealed
from bot.pipeline.logs.recording import Asked, Record, RunStep, recorded, step
from bot.pipeline.ports.job import LoopPorts
from bot.repair.asked import Spot
from bot.repair.ports import Clock, Journal, Model, Workspace
from bot.repair.reproduction.written import WrittenTest
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Role
from bot.repair.types import Base, Baseline, BudgetLimits

OPENED = "opened"
CALLED = "called"
CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Plan:
    """`Writing` without its two functions, whose results are logged like those of ports."""

    name: str
    approved: WrittenTest | None = None
    review: bool = False


@dataclass(frozen=True, slots=True)
class Opening:
    """All that a repair starts from; `models` are roles and the names of who plays them, `spots` those of `Terms`."""

    base: Base
    about: tuple[str, str]
    budget: BudgetLimits
    protected: tuple[str, ...]
    facts: Facts
    models: tuple[tuple[str, str], ...]
    plan: Plan | None = None
    spots: tuple[Spot, ...] | None = None


@dataclass(slots=True)
class Witness:
    """`RunStep` that writes each call and its result into the log; a result that is there already is named only."""

    journal: Journal
    _known: set[str] = field(default_factory=set)

    def __call__(self, name: str, asked: Asked, call: Callable[[], Record]) -> Record:
        """Make the call. Raises `LogError`."""
        record = call()
        data = canonical(record)
        result = digest(data)
        said = {"call": name, "asked": asked(), "result": result}
        new = b"" if result in self._known else data
        if self.journal.record(CALLED, said, new) != new:
            raise LogError(
                f"The run log holds another result of {name} than this one",
                "The job's records changed while it was under way: put the label on again.",
            )
        self._known.add(result)
        return record


def opened(journal: Journal, opening: Opening) -> Opening:
    """Write what a repair starts from, and return it as the log holds it: settings may change while a job waits."""
    plain = codec_for(Opening).encode(concealed(opening, journal.conceal))
    models = dict(opening.models)
    data = canonical(plain)
    held = journal.record(OPENED, {"commit": opening.base.commit, "models": models}, data)
    try:
        return read_opening(held)
    except ValueError:
        raise LogError(
            "What the repair started from cannot be read from the run log",
            "Regreen was changed while the job was under way: put the label on again.",
        ) from None


def read_opening(data: bytes) -> Opening:
    """The opening again. Raises `ValueError`."""
    opening: Opening = codec_for(Opening).decode(json.loads(data))
    return opening


def stepping(ports: LoopPorts, run_step: RunStep) -> LoopPorts:
    """The same ports, each call of theirs a step, whose result has no secret in it."""

    def stepped(port: Any, protocol: type) -> Any:
        return recorded(Concealing(port, ports.journal.conceal), protocol, run_step)

    return replace(
        ports,
        workspace=stepped(ports.workspace, Workspace),
        models=ports.models.each(lambda _, model: stepped(model, Model)),
        clock=stepped(ports.clock, Clock),
    )


def choosing(name: str, choose: Choose, run_step: RunStep) -> Choose:
    """The same choice of targets, each call a step."""
    return step(f"choose.{name}", _choose, choose, run_step)


def writing(plan: Plan, choose: Writing, run_step: RunStep) -> Writing:
    """How a test may be written, with the choices as steps and the rest as the log holds it."""
    bearing, otherwise = choose.bearing, choose.otherwise
    return Writing(
        plan.name,
        choosing("bearing", bearing, run_step),
        choosing("otherwise", otherwise, run_step),
        plan.approved,
        plan.review,
    )


def players(ports: LoopPorts) -> tuple[tuple[str, str], ...]:
    """The roles that somebody plays, and their names."""
    found = ((role.value, ports.models.of(role)) for role in Role)
    return tuple((role, model.name) for role, model in found if model is not None)


def _choose(baseline: Baseline) -> tuple[str, ...]:
    """Its annotations say what a choice takes and gives."""
    raise NotImplementedError
