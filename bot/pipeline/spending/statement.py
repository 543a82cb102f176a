"""What was spent about a subject and what is allowed, for people who ask where it stands."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.acts import Answer
from bot.errors import RegreenError
from bot.pipeline.intake.site import SiteFor
from bot.pipeline.spending.ledger import Account, Ledger, SpendingLimits, allowance, told
from bot.policy import RepoPolicy

Statement = Callable[[Answer], str]
"""A line of text; empty where nothing can be told."""


@dataclass(frozen=True, slots=True)
class LedgerStatement:
    """`Statement` from the ledger, by the operator's limits as the policy lowers them."""

    ledger: Ledger
    limits: SpendingLimits
    site_for: SiteFor

    def __call__(self, act: Answer) -> str:
        """The line. Raises nothing: an answer without it is better than none."""
        account = Account(act.installation_id, act.repository.lower(), act.about)
        try:
            return told(self.ledger.left(account, allowance(0.0, self.limits, self._policy(act))))
        except RegreenError:
            return ""

    def _policy(self, act: Answer) -> RepoPolicy:
        return self.site_for(act.repository, act.installation_id).house().policy


def nothing(_act: Answer) -> str:
    """Where no ledger is kept."""
    return ""
