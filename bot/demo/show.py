"""What the demo prints: a run as it goes on, and what came of it. Plain lines unless there is a terminal."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any, Self

from rich.console import Console
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from bot import progress, run_progress
from bot.demo.digest import ATTEMPT, digest
from bot.demo.person import PullView

Fields = Mapping[str, Any]
WIDTH = 110
MARGIN = "  "


def console(*, stderr: bool = False) -> Console:
    """A terminal's own width, else a fixed one, so that a log reads the same everywhere."""
    found = Console(highlight=False, stderr=stderr)
    return found if found.is_terminal else Console(highlight=False, width=WIDTH, soft_wrap=True, stderr=stderr)


@dataclass(slots=True)
class Facts:
    """What the journal of one run said, for the summary and the demo's own checks."""

    verdicts: list[str] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    failing: int = 0
    passing: int = 0
    tokens: int = 0
    dollars: float = 0.0
    stop: str = ""
    state: str = ""
    headline: str = ""
    ended: float = 0.0


@dataclass(slots=True)
class Progress:
    """Prints journal entries as they come; on a terminal the step that runs turns below them."""

    console: Console
    facts: Facts = field(default_factory=Facts)
    _origins: dict[int, str] = field(default_factory=dict)
    _shown: progress.Progress = field(init=False)
    _run: run_progress.RunProgress = field(init=False)

    def __post_init__(self) -> None:
        """Without a terminal a log reads better with each step once, when it is over."""
        self._shown = progress.Progress(self.console, patience=None)
        self._run = run_progress.RunProgress(self._shown, MARGIN, "waiting")

    def __enter__(self) -> Self:
        """Show the spinner, where there is a terminal."""
        self._shown.begin("waiting")
        return self

    def __exit__(self, *_: object) -> None:
        """Take it away."""
        self._shown.end()

    def line(self, text: str, style: str = "") -> None:
        """Print one line above the spinner."""
        self._shown.line(f"{MARGIN}{text}", style)

    def entry(self, event: str, at: float, fields: Fields) -> None:
        """Take in one journal entry; `at` is seconds since the epoch."""
        self._run.entry(event, fields)
        known = {
            "baseline": self._baseline,
            "proposal": self._proposed,
            "attempt": self._attempt,
            "stop": self._stopped,
            "ended": self._ended,
        }
        if event in known:
            known[event](fields)
        self.facts.ended = at

    def _baseline(self, fields: Fields) -> None:
        self.facts.failing, self.facts.passing = len(fields["failing"]), int(fields["passing"])

    def _proposed(self, fields: Fields) -> None:
        self._origins[int(fields["number"])] = str(fields.get("origin", ""))

    def _attempt(self, fields: Fields) -> None:
        self.facts.verdicts.append(str(fields["verdict"]))
        self.facts.origins.append(self._origins.get(int(fields["number"]), ""))

    def _stopped(self, fields: Fields) -> None:
        self.facts.stop = str(fields["stop"])
        self.facts.tokens = int(fields["prompt_tokens"]) + int(fields["completion_tokens"])
        self.facts.dollars = float(fields["dollars"])

    def _ended(self, fields: Fields) -> None:
        self.facts.state, self.facts.headline = str(fields["state"]), str(fields["headline"])


def title(console: Console, text: str) -> None:
    """Begin a scene."""
    console.print()
    console.print(Rule(text, align="left"))


def pull_request(console: Console, pull: PullView) -> None:
    """Address, diff, and what its text comes to."""
    console.print()
    console.print(Text(f"Pull request #{pull.number}{' (draft)' if pull.draft else ''}: {pull.title}", style="bold"))
    console.print(Text(pull.url, style="underline"), soft_wrap=True)
    console.print()
    console.print(Syntax(pull.diff, "diff", background_color="default") if console.is_terminal else Text(pull.diff))
    console.print()
    console.print(Text("From its text:", style="bold"))
    _text(console, pull.body)


def comment(console: Console, text: str) -> None:
    """What the final status comment comes to."""
    console.print()
    console.print(Text("From the final comment on the issue:", style="bold"))
    _text(console, text)


def spent(console: Console, facts: Facts, since: float) -> None:
    """Where time and money went, from `since`, in seconds since the epoch."""
    console.print()
    console.print(Text(f"{facts.ended - since:.1f} s in all; {facts.tokens:,} tokens, ${facts.dollars:.2f}"))


def _text(console: Console, markdown: str) -> None:
    found = digest(markdown)
    _wrapped(console, found.opening, 2)
    widths = [max(map(len, column)) for column in zip(*found.table, strict=True)]
    for row in filter(_counts_something, found.table):
        cells = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        console.print(Text(f"  {cells.rstrip()}"))
    for line in found.log:
        lesson = not line.startswith(ATTEMPT)
        _wrapped(console, _one_line(line, console.width - 6) if lesson else line, 6 if lesson else 2)


def _counts_something(row: Sequence[str]) -> bool:
    counts = re.findall(r"\d+", " ".join(row[1:]))
    return not counts or any(map(int, counts))


def _wrapped(console: Console, text: str, indent: int) -> None:
    margin = " " * indent
    console.print(Text(fill(text, console.width, initial_indent=margin, subsequent_indent=margin)))


def _one_line(text: str, limit: int = 240) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
