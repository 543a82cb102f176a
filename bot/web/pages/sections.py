"""A run's page in sections: each is rendered by itself, so that a live page gets those that changed."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.pipeline.ports.reading import RunRow
from bot.pipeline.reading import AttemptView, RunView, StepView
from bot.web.pages.rendering import Rendering
from bot.web.pages.visitor import Visitor

SECTIONS = ("summary", "steps", "tries", "matrix", "costs", "environment", "remarks", "files")
"""Each has a template `run/<name>.html`; the attempts are further ones."""
MOST_ATTEMPTS = 100
WIDTHS = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """A step and how wide its bar is, in twentieths."""

    step: StepView
    width: int


@dataclass(frozen=True, slots=True)
class Sections:
    """Renders one run for one visitor."""

    rendering: Rendering
    visitor: Visitor

    def all(self, row: RunRow, run: RunView) -> dict[str, str]:
        """Every section by name, for a whole page: attempts are folded but for the telling one."""
        telling = run.solution or run.best or (run.attempts[-1].number if run.attempts else None)
        shown = self._sections(row, run)
        return shown | {
            f"attempt-{one.number}": self._attempt(row, run, one, unfolded=one.number == telling)
            for one in run.attempts[:MOST_ATTEMPTS]
        }

    def changed(self, row: RunRow, run: RunView, before: dict[str, str]) -> tuple[str, dict[str, str]]:
        """What takes the place of what is out of date in a page that shows `before`, and what the page shows then.

        A new attempt goes into the slot that the one before left; whoever gets it twice has it once.
        """
        now = self.live(row, run)
        place = 'hx-swap-oob="true"'
        swapped: list[str] = []
        for name, text in now.items():
            if before.get(name) == text:
                continue
            if name.startswith("attempt-") and name not in before:
                number = int(name.removeprefix("attempt-"))
                following = f'<div class="slot" id="slot-{number + 1}"></div>'
                swapped.append(f'<div class="slot" id="slot-{number}" {place}>{text}{following}</div>')
            else:
                swapped.append(text.replace(f'id="{name}"', f'id="{name}" {place}', 1))
        return "".join(swapped), now

    def live(self, row: RunRow, run: RunView) -> dict[str, str]:
        """Every section by name, as a live page gets it."""
        attempts = run.attempts[:MOST_ATTEMPTS]
        shown = {f"attempt-{one.number}": self._attempt(row, run, one, unfolded=True) for one in attempts}
        return self._sections(row, run) | shown

    def _sections(self, row: RunRow, run: RunView) -> dict[str, str]:
        context = {"row": row, "run": run, "visitor": self.visitor, "bars": tuple(_bars(run.steps))}
        return {name: self.rendering.text(f"run/{name}.html", **context) for name in SECTIONS}

    def _attempt(self, row: RunRow, run: RunView, one: AttemptView, *, unfolded: bool) -> str:
        return self.rendering.text("run/attempt.html", row=row, run=run, one=one, unfolded=unfolded)


def _bars(steps: tuple[StepView, ...]) -> Iterator[Bar]:
    whole = max((step.seconds or 0.0 for step in steps), default=0.0)
    for step in steps:
        share = (step.seconds or 0.0) / whole if whole else 0.0
        yield Bar(step, min(max(round(share * WIDTHS), 1), WIDTHS))
