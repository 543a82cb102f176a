"""Steps as the journal, the demo and the pull request show them: a name and its seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.repair.ports import Clock, Journal


@dataclass(slots=True)
class Steps:
    """Times the steps of one job; `seconds` maps each finished step to its duration, in order."""

    clock: Clock
    journal: Journal
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Journal the start and the end of a step, whichever way it ends."""
        started = self.clock.now()
        self.journal.append("step_started", {"step": name})
        try:
            yield
        finally:
            seconds = self.clock.now() - started
            self.seconds[name] = seconds
            self.journal.append("step_ended", {"step": name, "seconds": round(seconds, 3)})
