"""What a job that met bad input must leave behind, whatever went wrong."""

import re
from collections.abc import Sequence
from pathlib import Path

from fakes import FakeClock, MemoryJournal

from bot import log
from bot.adapters.journal import FileJournal
from bot.jobs import JobOutcome, State
from bot.repair.ports import Json

Events = Sequence[tuple[str, Json]]


class KeptJournal(MemoryJournal):
    """Writes the real file too, with a redactor that knows no secret by value: none may reach it in the first place."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = FileJournal(path, FakeClock(), log.redactor(()))
        self.recorded = 0

    def append(self, event: str, fields: Json) -> None:
        super().append(event, fields)
        self._file.append(event, fields)

    def record(self, event: str, fields: Json, payload: bytes) -> bytes:
        self.recorded += 1
        return self._file.record(event, fields, payload)


def seen(markdown: str) -> str:
    """A comment as its reader sees it: without escapes and hidden markers."""
    text = re.sub(r"<!--.*?-->", "", markdown)
    text = re.sub(r"\\([\\`*_{}\[\]()#+!|~>-])", r"\1", text)
    return text.replace("\u2060", "").replace("&lt;", "<").replace("&amp;", "&").strip()


def assert_said(comments: Sequence[str], cause: str, remedy: str) -> str:
    """There is exactly one comment, in a final state, and it names both; returns it as it is seen."""
    (only,) = comments
    text = seen(only)
    assert text.startswith(("**Could not finish**: ", "**No fix.** ", "**Not started**: ", "**Done**: ")), text
    assert cause in text, text
    assert remedy in text, text
    assert "a fault in Regreen" not in text, text
    return text


def assert_whole(events: Events, outcome: JobOutcome, state: State, attempts: int = 0) -> None:
    """The log tells the run from its first step to its end, with every attempt."""
    names = [name for name, _ in events]
    assert outcome.state is state
    assert names[0] == "step_started"
    assert names.count("step_started") == names.count("step_ended")
    assert (names[-1], events[-1][1]["state"]) == ("ended", state)
    assert names.count("attempt") == attempts
