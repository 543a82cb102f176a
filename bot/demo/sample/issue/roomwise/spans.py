"""Half-open spans of time: the start belongs to a span, the end does not."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from roomwise.errors import SpanError


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """From `start` up to, not including, `end`."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise SpanError(f"a span must end after it starts: {self.start} to {self.end}")

    @property
    def minutes(self) -> int:
        """Whole minutes."""
        return int((self.end - self.start).total_seconds()) // 60

    def contains(self, moment: datetime) -> bool:
        """Whether the moment lies inside."""
        return self.start <= moment < self.end

    def shifted(self, delta: timedelta) -> "Span":
        """The same length, earlier or later."""
        return Span(self.start + delta, self.end + delta)

    def clipped(self, within: "Span") -> "Span | None":
        """The part that lies inside `within`, if there is one."""
        start = max(self.start, within.start)
        end = min(self.end, within.end)
        return Span(start, end) if start < end else None


def merge(spans: Iterable[Span]) -> list[Span]:
    """Sorted spans with those joined that overlap or touch."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def gaps(spans: Iterable[Span], within: Span) -> list[Span]:
    """What is left of `within` when the spans are taken out."""
    free: list[Span] = []
    cursor = within.start
    for span in merge(spans):
        if span.start >= within.end:
            break
        if span.start > cursor:
            free.append(Span(cursor, span.start))
        cursor = max(cursor, span.end)
    if cursor <= within.end:
        free.append(Span(cursor, within.end))
    return free
