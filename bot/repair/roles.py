"""Who is asked for what: the roles of a repair, and a model for each."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from bot.repair.ports import Model


class Role(StrEnum):
    """Who is asked: for a fix, for a failing test, for a remedy, for a judgement, for a shorter text."""

    CODER = "coder"
    TESTER = "tester"
    CRITIC = "critic"
    REVIEWER = "reviewer"
    CONDENSER = "condenser"


@dataclass(frozen=True, slots=True)
class Models:
    """One optional model a role; a role without one is off."""

    coder: Model | None = None
    tester: Model | None = None
    critic: Model | None = None
    reviewer: Model | None = None
    condenser: Model | None = None

    def of(self, role: Role) -> Model | None:
        """The model that plays this role."""
        model: Model | None = getattr(self, role.value)
        return model

    def each(self, change: Callable[[Role, Model], Model]) -> "Models":
        """The same roles, every model changed: recorded, or metered."""
        played = {role: self.of(role) for role in Role}
        return Models(**{role.value: change(role, model) for role, model in played.items() if model is not None})
