"""Who is asked for what: the roles of a repair, and a model for each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

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
    """One optional model a role; a role without one is off. `offered` are others, by name, that may play one."""

    coder: Model | None = None
    tester: Model | None = None
    critic: Model | None = None
    reviewer: Model | None = None
    condenser: Model | None = None
    offered: Mapping[str, Model] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """The models that there are to choose from."""
        return frozenset(self.offered) | {model.name for role in Role if (model := self.of(role)) is not None}

    def of(self, role: Role) -> Model | None:
        """The model that plays this role."""
        model: Model | None = getattr(self, role.value)
        return model

    def each(self, change: Callable[[Role, Model], Model]) -> "Models":
        """The same roles, every model changed: recorded, or metered. What is offered is changed as the coder is."""
        played = {role: self.of(role) for role in Role}
        changed: dict[str, Any] = {role.value: change(role, one) for role, one in played.items() if one is not None}
        return Models(**changed, offered={name: change(Role.CODER, one) for name, one in self.offered.items()})
