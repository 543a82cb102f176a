"""`Labels` in memory; passes the same contract suite as the adapter."""

from collections import defaultdict
from typing import TYPE_CHECKING

from bot.pipeline.reports.labels import Label

if TYPE_CHECKING:
    from bot.errors import RegreenError


class FakeLabels:
    """One repository's labels: `made` are its own, `borne` those of each issue, `error` is raised by every call."""

    def __init__(self) -> None:
        self.made: set[str] = set()
        self.borne: dict[int, set[str]] = defaultdict(set)
        self.shown: list[Label | None] = []
        self.error: RegreenError | None = None

    def make(self) -> None:
        self._enter()
        self.made |= set(Label)

    def put(self, number: int, label: Label | None) -> None:
        self._enter()
        self.shown.append(label)
        self.borne[number] -= set(Label)
        if label:
            self.borne[number].add(label.value)

    def _enter(self) -> None:
        if self.error:
            raise self.error
