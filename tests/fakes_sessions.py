"""Sessions that were signed out of, in memory."""

from dataclasses import dataclass, field

from bot.errors import StoreError


@dataclass
class FakeEndedSessions:
    """`EndedSessions` in a dictionary; `broken` makes it fail."""

    ended: dict[str, int] = field(default_factory=dict)
    broken: bool = False

    def end(self, nonce: str, until: int) -> None:
        self._work()
        self.ended.setdefault(nonce, until)

    def has_ended(self, nonce: str) -> bool:
        self._work()
        return nonce in self.ended

    def _work(self) -> None:
        if self.broken:
            raise StoreError("The database failed", "Repair it.")
