"""Operators' wishes in memory."""

from dataclasses import dataclass, field, replace

from fakes_store import FakeTime

from bot.pipeline.ports.store import Asked, Wish


@dataclass
class FakeWishes:
    """`Wishes` in a list."""

    now: FakeTime = field(default_factory=FakeTime)
    all: list[Wish] = field(default_factory=list)

    def ask(self, identity: str, what: Asked, by: str, at: float) -> int:
        for there in self.open(len(self.all)):
            if (there.identity, there.what) == (identity, what):
                return there.number
        self.all.append(Wish(len(self.all) + 1, identity, what, by, at))
        return len(self.all)

    def open(self, limit: int) -> tuple[Wish, ...]:
        return tuple([wish for wish in self.all if wish.done_at is None][:limit])

    def done(self, number: int, said: str) -> None:
        there = self.wish(number)
        if there is not None and there.done_at is None:
            self.all[number - 1] = replace(there, done_at=self.now(), said=said)

    def wish(self, number: int) -> Wish | None:
        return self.all[number - 1] if 0 < number <= len(self.all) else None
