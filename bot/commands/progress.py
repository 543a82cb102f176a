"""What `regreen fix` says while it works: a journal that also tells a person."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.pipeline.local import MAX_SAID, one_line
from bot.pipeline.reports.report import VERDICTS
from bot.repair.ports import Journal, Json
from bot.repair.types import Verdict


@dataclass(frozen=True, slots=True)
class Telling:
    """`Journal` over another one; `say` gets a line for the baseline and one for each attempt."""

    journal: Journal
    say: Callable[[str], None]

    def append(self, event: str, fields: Json) -> None:
        """Keep the event, then say it. Raises `LogError`."""
        self.journal.append(event, fields)
        if tell := _TOLD.get(event):
            self.say(tell(fields))

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


def _baseline(fields: Mapping[str, Any]) -> str:
    failing, flaky = len(fields["failing"]), len(fields["flaky"])
    return f"Baseline: {failing} failing, {fields['passing']} passing, {flaky} flaky"


def _attempt(fields: Mapping[str, Any]) -> str:
    deltas = fields["deltas"]
    counts = f"{len(deltas.get('fixed', ()))} fixed, {len(deltas.get('regressed', ()))} regressed"
    reason = one_line(str(fields["reason"]), MAX_SAID)
    return f"Attempt {fields['number']}: {VERDICTS[Verdict(fields['verdict'])]} ({counts}){reason and f': {reason}'}"


_TOLD: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"baseline": _baseline, "attempt": _attempt}
