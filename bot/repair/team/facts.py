"""What binds the calls of each role: sizes, temperature, a share of the budget, prices."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.repair.editing.edits import Rung
from bot.repair.team.capabilities import Capabilities, assumed
from bot.repair.team.roles import Role


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What prompts and budgets have to respect of one role's model: tokens, dollars for a million tokens.

    `share` is the part of a run's tokens that the role may spend; `temperature` is that of its first answer.
    """

    context_tokens: int = 8192
    can: Capabilities = field(default_factory=lambda: assumed(""))
    temperature: float = 0.0
    share: float = 1.0
    prompt_price: float = 0.0
    completion_price: float = 0.0

    @property
    def reply_tokens(self) -> int:
        """The most tokens of one reply: never more than a third of the context."""
        return min(self.can.reply_tokens, self.context_tokens // 3)

    @property
    def first_rung(self) -> Rung:
        """The edit format asked for at first."""
        return self.can.first_rung

    def dollars(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The price of one call."""
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1e6


@dataclass(frozen=True, slots=True)
class Facts:
    """`ModelFacts` of each role, and of each model that is offered; those of a role that is off mean nothing."""

    coder: ModelFacts = field(default_factory=ModelFacts)
    tester: ModelFacts = field(default_factory=ModelFacts)
    critic: ModelFacts = field(default_factory=ModelFacts)
    reviewer: ModelFacts = field(default_factory=ModelFacts)
    condenser: ModelFacts = field(default_factory=ModelFacts)
    offered: Mapping[str, ModelFacts] = field(default_factory=dict)

    def of(self, role: Role) -> ModelFacts:
        """What binds this role's calls."""
        facts: ModelFacts = getattr(self, role.value)
        return facts
