"""A run as its log grows, on a terminal or off it: the demo and `regreen fix` show theirs in this one way."""

from dataclasses import dataclass, field

from bot.pipeline.reading import plain
from bot.pipeline.reading.plain import Fields
from bot.pipeline.reading.told import BAD, DOUBTFUL, FAINT, GOOD, Teller
from bot.progress import Progress

STYLES = {GOOD: "bold green", BAD: "red", DOUBTFUL: "yellow", FAINT: "dim"}


@dataclass(slots=True)
class RunProgress:
    """A run as its log grows; between two steps `idle` is being done, unless that is empty."""

    progress: Progress
    margin: str = ""
    idle: str = ""
    _teller: Teller = field(default_factory=Teller)

    def entry(self, event: str, fields: Fields) -> None:
        """Take in one event."""
        for one in self._teller.tell(event, fields):
            self.progress.line(f"{self.margin}{one.text}", STYLES.get(one.tone, ""))
        if event == "step_started":
            self.progress.begin(plain.text(fields, "step"))
        elif event == "proposal":
            self.progress.begin(f"attempt {plain.whole(fields, 'number')}")
        elif event == "step_ended":
            self.progress.end()
            if self.idle:
                self.progress.begin(self.idle)
