"""What a command over a repository says while it works: a journal that also tells a person."""

from dataclasses import dataclass

from bot.repair.ports import Journal, Json
from bot.run_progress import RunProgress


@dataclass(frozen=True, slots=True)
class Telling:
    """`Journal` over another one; every event is shown as it comes."""

    journal: Journal
    shown: RunProgress

    def append(self, event: str, fields: Json) -> None:
        """Keep the event, then show it. Raises `LogError`."""
        self.journal.append(event, fields)
        self.shown.entry(event, fields)

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        """Keep the event. Raises `LogError`."""
        return self.journal.record(event, fields, payload)

    def conceal(self, text: str) -> str:
        """The text without this installation's own secrets."""
        return self.journal.conceal(text)

    @property
    def head(self) -> str:
        """The digest of the last event."""
        return self.journal.head
