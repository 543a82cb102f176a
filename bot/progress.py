"""What a command says while it works, in one style: a spinner with its seconds on a terminal, lines otherwise."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from bot.pipeline.reports.markdown import line

PATIENCE = 1.0
"""Seconds for which nothing need be said of what is being done, where there is no terminal."""
MOST_NOTE = 60


@dataclass(slots=True)
class Progress:
    """Lines above a spinner; `patience` is `None` where a line for what takes long would be one too many."""

    console: Console
    patience: float | None = PATIENCE
    _doing: str = ""
    _note: str = ""
    _since: float = 0.0
    _live: Live | None = None
    _timer: threading.Timer | None = None

    def begin(self, what: str) -> None:
        """Say what is being done from now on."""
        self._cancel()
        self._doing, self._note, self._since = line(what), "", time.monotonic()
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            if self._live is None:
                # standard output is somebody else's, and not to come out here
                self._live = Live(
                    get_renderable=self._turning,
                    console=self.console,
                    transient=True,
                    redirect_stdout=False,
                    refresh_per_second=8,
                )
                self._live.start()
        elif self.patience is not None:
            self._timer = threading.Timer(self.patience, self.line, [f"{self._doing} …"])
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Nothing is being done any more."""
        self._cancel()
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Say what is being done within."""
        self.begin(what)
        try:
            yield
        finally:
            self.end()

    def note(self, text: str) -> None:
        """Show the newest detail beside the spinner, and nowhere else."""
        self._note = line(text, MOST_NOTE)

    def line(self, text: str, style: str = "") -> None:
        """Say a line that stays."""
        self.console.print(Text(text, style=style), soft_wrap=True)

    def _turning(self) -> Spinner:
        note = f"  {self._note}" if self._note else ""
        return Spinner("dots", text=Text(f"{self._doing} … {time.monotonic() - self._since:.0f} s{note}"))

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
