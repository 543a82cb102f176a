"""A run's page in sections: each is rendered by itself, so that a live page gets those that changed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.pipeline.ports.reading import RunRow
from bot.pipeline.reading import AttemptView, RunView, StepView
from bot.web.pages.rendering import Rendering
from bot.web.pages.visitor import Visitor

SECTIONS = ("now", "summary", "steps", "tries", "matrix", "costs", "environment", "remarks", "files")
"""Each has a template `run/<name>.html`; the attempts are further ones."""
OF_ROW = frozenset({"now", "summary", "steps", "slot-1"})
"""Those that change with the run's row, too."""
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
    kept: dict[str, tuple[object, str]] = field(default_factory=dict)
    """What `live` drew last, and of what."""

    def all(self, row: RunRow, run: RunView) -> dict[str, str]:
        """Every section by name, for a whole page: attempts are folded but for the telling one."""
        telling = run.solution or run.best or (run.attempts[-1].number if run.attempts else None)
        shown = self._sections(row, run)
        return shown | {
            f"attempt-{one.number}": self._attempt(row, run, one, unfolded=one.number == telling)
            for one in run.attempts[:MOST_ATTEMPTS]
        }

    def live(self, row: RunRow, run: RunView) -> dict[str, str]:
        """Every section but the summary by name, as a live page gets it; what is as it was last time is not drawn."""
        touching: dict[str, object] = {
            "steps": (run.steps, row.ended_at),
            "tries": run.tries,
            "matrix": run.matrix,
            "costs": (run.roles, run.models, run.usage),
            "environment": run.environment,
            "remarks": run.remarks,
            "files": run.artifacts,
        }
        context = self._context(row, run)
        shown = {
            name: self._once(name, of, lambda name=name: self.rendering.text(f"run/{name}.html", **context))  # type: ignore[misc]  # mypy does not infer such a default
            for name, of in touching.items()
        }
        shown["now"] = self.rendering.text("run/now.html", row=row, run=run)
        if not run.attempts:
            shown["slot-1"] = self.rendering.text("run/none.html", row=row)
        for one in run.attempts[:MOST_ATTEMPTS]:
            name, of = f"attempt-{one.number}", (one, run.solution == one.number)
            shown[name] = self._once(name, of, lambda one=one: self._attempt(row, run, one, unfolded=True))  # type: ignore[misc]  # as above
        return shown

    def summary(self, row: RunRow, run: RunView) -> str:
        """The one section that depends on who looks."""
        return self.rendering.text("run/summary.html", **self._context(row, run))

    def _once(self, name: str, of: object, draw: Callable[[], str]) -> str:
        kept = self.kept.get(name)
        # tuples: what is the very same object is not looked into
        if kept is None or (kept[0],) != (of,):
            kept = self.kept[name] = (of, draw())
        return kept[1]

    def _context(self, row: RunRow, run: RunView) -> dict[str, Any]:
        return {"row": row, "run": run, "visitor": self.visitor, "bars": tuple(_bars(run.steps))}

    def _sections(self, row: RunRow, run: RunView) -> dict[str, str]:
        context = self._context(row, run)
        return {name: self.rendering.text(f"run/{name}.html", **context) for name in SECTIONS}

    def _attempt(self, row: RunRow, run: RunView, one: AttemptView, *, unfolded: bool) -> str:
        return self.rendering.text("run/attempt.html", row=row, run=run, one=one, unfolded=unfolded)


def swaps(now: dict[str, str], before: dict[str, str]) -> str:
    """What takes the place of what is out of date in a page that shows `before`.

    A new attempt goes into the slot that the one before left; whoever gets it twice has it once.
    """
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
    return "".join(swapped)


def _bars(steps: tuple[StepView, ...]) -> Iterator[Bar]:
    whole = max((step.seconds or 0.0 for step in steps), default=0.0)
    for step in steps:
        share = (step.seconds or 0.0) / whole if whole else 0.0
        yield Bar(step, min(max(round(share * WIDTHS), 1), WIDTHS))
