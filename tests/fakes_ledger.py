"""`Ledger` in memory."""

from dataclasses import dataclass, field

from bot.errors import RegreenError
from bot.pipeline.spending.ledger import Account, Allowance, Balance, Grant


@dataclass
class MemoryLedger:
    """Grants what an account has left; `spent` maps job ids to dollars, `None` while they are held."""

    granted: dict[str, Grant] = field(default_factory=dict)
    spent: dict[str, float | None] = field(default_factory=dict)
    before: Balance | None = None
    failure: RegreenError | None = None

    def left(self, account: Account, allowance: Allowance) -> Balance:
        del account
        if self.failure:
            raise self.failure
        there = self.before or Balance(allowance)
        here = sum(self.granted[name].dollars if amount is None else amount for name, amount in self.spent.items())
        return Balance(
            allowance,
            there.pull_request + here,
            there.repository_day + here,
            there.installation_day + here,
            there.attempts + len(self.spent),
        )

    def reserve(self, identity: str, account: Account, allowance: Allowance) -> Grant:
        balance = self.left(account, allowance)
        if identity in self.granted:
            return self.granted[identity]
        if balance.shortage:
            return Grant(0.0, balance.attempts, balance.shortage)
        self.granted[identity] = Grant(balance.dollars, balance.attempts + 1)
        self.spent[identity] = None
        return self.granted[identity]

    def settle(self, identity: str, dollars: float) -> None:
        if self.failure:
            raise self.failure
        if identity in self.spent:
            self.spent[identity] = max(self.spent[identity] or 0.0, dollars)
