"""Which model plays which role here: the operator's choice, as far as the policy changes it within what is offered."""

from dataclasses import replace
from typing import Any

from bot.policy import RepoPolicy
from bot.repair.team.facts import Facts
from bot.repair.team.roles import Models, Role


def cast(models: Models, policy: RepoPolicy) -> Models:
    """The roles that the policy lets be played, by the models that it names; `offered` is used up.

    A name that is not offered leaves the role to who has it: `bot.policy.examine` reports it before.
    """
    played = {role: models.of(role) for role in Role if policy.roles is None or role.value in policy.roles}
    for role, name in _named(policy).items():
        if role in played:
            played[role] = models.offered.get(name, played[role])
    cast_of: dict[str, Any] = {role.value: model for role, model in played.items() if model is not None}
    return Models(**cast_of)


def bound(facts: Facts, policy: RepoPolicy) -> Facts:
    """What binds the calls of those models: the model's sizes and prices, the role's temperature and share."""
    changed: dict[str, Any] = {}
    for role, name in _named(policy).items():
        if name in facts.offered:
            own = facts.of(role)
            changed[role.value] = replace(facts.offered[name], temperature=own.temperature, share=own.share)
    return replace(facts, **changed, offered={})


def _named(policy: RepoPolicy) -> dict[Role, str]:
    return {Role(role): name for role, name in policy.models.items()}
