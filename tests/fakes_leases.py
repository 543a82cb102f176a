"""`Leases` in a dictionary that several holders share."""

from collections.abc import Collection
from dataclasses import dataclass, field

from fakes_store import FakeTime

from bot.pipeline.intake.holding import Holding
from bot.pipeline.ports.leases import LONGEST


@dataclass
class FakeLeases:
    """One holder; give `held` and `now` of another to work beside it."""

    owner: str = "worker-1"
    now: FakeTime = field(default_factory=FakeTime)
    held: dict[str, tuple[str, float]] = field(default_factory=dict)

    def take(self, name: str, seconds: float) -> bool:
        owner, until = self.held.get(name, (self.owner, 0.0))
        if owner != self.owner and self.now() < until <= self.now() + LONGEST:
            return False
        self.held[name] = (self.owner, self.now() + seconds)
        return True

    def renew(self, names: Collection[str], seconds: float) -> frozenset[str]:
        mine = frozenset(name for name in names if name in self.held and self.held[name][0] == self.owner)
        self.held |= {name: (self.owner, self.now() + seconds) for name in mine}
        return mine

    def release(self, name: str) -> None:
        if name in self.held and self.held[name][0] == self.owner:
            del self.held[name]


def holding(leases: FakeLeases | None = None) -> Holding:
    """Over one clock."""
    leases = leases or FakeLeases()
    return Holding(leases, leases.now)
