"""What one run may spend: the operator's limits, lowered by the policy, as far as the ledger grants it."""

from bot.pipeline.admission import Refusal
from bot.pipeline.ports.job import FixSettings, Ports
from bot.pipeline.spending.ledger import Shortage
from bot.pipeline.spending.purse import Purse, is_free
from bot.policy import RepoPolicy
from bot.repair.types import BudgetLimits


def granted(purse: Purse, ports: Ports, settings: FixSettings, policy: RepoPolicy) -> BudgetLimits | Refusal:
    """The run's budget, money for which is held from now on. Raises `StoreError`, `NoRoomError`."""
    budget = lowered(settings.budget, policy)
    found = purse.reserve(budget, policy, settings.limits, free=is_free(ports, settings.facts))
    return Refusal(*found.said(policy.language)) if isinstance(found, Shortage) else found


def lowered(operator: BudgetLimits, policy: RepoPolicy) -> BudgetLimits:
    """The operator's limits for one run, each as low as the policy wants it."""
    wanted = policy.budget
    return BudgetLimits(
        iterations=min(operator.iterations, wanted.iterations or operator.iterations),
        tokens=min(operator.tokens, operator.tokens if wanted.tokens is None else wanted.tokens),
        dollars=min(operator.dollars, operator.dollars if wanted.dollars is None else wanted.dollars),
        wall_seconds=min(operator.wall_seconds, 60 * wanted.minutes if wanted.minutes else operator.wall_seconds),
        slow_suite_seconds=operator.slow_suite_seconds,
    )
