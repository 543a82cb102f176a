"""Tests that were shown, in memory."""

from dataclasses import dataclass, field

from bot.repair.reproduction.written import WrittenTest


@dataclass
class MemoryReviews:
    """`Reviews` in a dictionary."""

    tests: dict[str, WrittenTest] = field(default_factory=dict)

    def keep(self, test: WrittenTest) -> str:
        self.tests.setdefault(test.digest, test)
        return test.digest

    def kept(self) -> tuple[WrittenTest, ...]:
        return tuple(self.tests.values())
