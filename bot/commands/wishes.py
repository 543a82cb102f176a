"""`regreen cancel` and `retry`: what an operator asks of a run, and what a worker made of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.commands import Shown
from bot.commands.runs import find, row
from bot.jobs import State
from bot.pipeline.intake.answers import standing
from bot.pipeline.ports.reading import Reader, RunRow
from bot.pipeline.ports.store import Asked, Wish, Wishes
from bot.pipeline.reports.markdown import line

LOOK_SECONDS = 0.2
NOT_ENDED = "It has not ended yet: cancel it first."


@dataclass(frozen=True, slots=True)
class Operator:
    """Asks, and waits for `patience` seconds; `by` is who asks."""

    reader: Reader
    wishes: Wishes
    by: str
    patience: float
    now: Callable[[], float] = time.time
    pause: Callable[[float], None] = time.sleep

    def ask(self, beginning: str, what: Asked) -> Shown:
        """Have a worker do it; good where it was done. Raises as `find` does."""
        found = find(self.reader, beginning)
        ended = found.ended_at is not None
        if ended is (what is Asked.CANCEL):
            return _refused(found, what, f"It has ended: {found.state}." if ended else NOT_ENDED)
        if what is Asked.RETRY and found.in_the_way is not None:
            return _refused(found, what, standing(found.in_the_way))
        number = self.wishes.ask(found.identity, what, self.by, self.now())
        wish = self._answered(number)
        if wish is None or wish.done_at is None:
            return self._unanswered(found, number, what)
        now = self._became(found, what, number)
        lines = [
            line(wish.said),
            *([f"regreen logs --follow {line(now.identity)}"] if now and what is Asked.RETRY else []),
        ]
        return Shown(good=now is not None, document=_document(what, number, wish.said, now), lines=lines)

    def _answered(self, number: int) -> Wish | None:
        until = self.now() + self.patience
        while True:
            wish = self.wishes.wish(number)
            if wish is None or wish.done_at is not None or self.now() >= until:
                return wish
            self.pause(LOOK_SECONDS)

    def _became(self, found: RunRow, what: Asked, number: int) -> RunRow | None:
        """The run as it was wished for; `None` where the wish was not granted."""
        if what is Asked.RETRY:
            return self.reader.run(f"{found.repository}:{found.subject}:wish-{number}")
        now = self.reader.run(found.identity)
        return now if now is not None and now.state == State.CANCELLED else None

    def _unanswered(self, found: RunRow, number: int, what: Asked) -> Shown:
        later = f"It is noted (wish {number}) and will be done as soon as a worker has time."
        lines = [later, "`regreen workers` says whether one runs."] if self.patience else [later]
        # whoever does not wait has what he asked for
        return Shown(good=not self.patience, document=_document(what, number, "", found), lines=lines)


def _refused(found: RunRow, what: Asked, said: str) -> Shown:
    return Shown(good=False, document=_document(what, 0, said, found), lines=[said])


def _document(what: Asked, number: int, said: str, run: RunRow | None) -> dict[str, Any]:
    """`said` is empty while nobody has seen to it; `run` is the one that there is now, for a retry the new one."""
    return {"asked": what.value, "wish": number, "said": said, "run": None if run is None else row(run)}
