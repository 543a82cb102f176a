"""What a check of `regreen doctor` is, and how a report of them is shown."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rich.table import Table
from rich.text import Text

from bot.pipeline.reports.markdown import plain

MOST_TEXT = 600


class State(StrEnum):
    """What became of one check; `OPEN` is nothing to repair, but something that is not there or could not be tried."""

    HOLDS = "holds"
    BROKEN = "broken"
    OPEN = "open"


_STYLES = {State.HOLDS: "green", State.BROKEN: "bold red", State.OPEN: "yellow"}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the table; `seen` and `remedy` may come from outside, so they are shown as plain text only."""

    topic: str
    state: State
    seen: str
    remedy: str = ""


def judged(topic: str, seen: str, remedy: str) -> Check:
    """A check that is broken where there is a remedy, and holds where there is none."""
    return Check(topic, State.BROKEN if remedy else State.HOLDS, seen, remedy)


@dataclass(frozen=True, slots=True)
class Report:
    """Every check, in the order in which they are shown."""

    checks: tuple[Check, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is broken."""
        return all(check.state is not State.BROKEN for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        checks = [
            {"topic": one.topic, "state": one.state.value, "seen": one.seen, "remedy": one.remedy}
            for one in self.checks
        ]
        return {"good": self.good, "checks": checks}

    def table(self) -> Table:
        """For a terminal; nothing in it is read as markup, or steers the terminal."""
        table = Table("check", "state", "seen", box=None, pad_edge=False, header_style="bold")
        for one in self.checks:
            seen = "\n".join(part for part in (one.seen, f"→ {one.remedy}" if one.remedy else "") if part)
            state = Text(one.state.value, _STYLES[one.state])
            table.add_row(Text(plain(one.topic, MOST_TEXT)), state, Text(plain(seen, MOST_TEXT)))
        return table
