"""Bookings that come back."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from roomwise.errors import UnknownError
from roomwise.spans import Span

STEPS = {"day": timedelta(days=1), "week": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Series:
    """A first span that repeats every so many days or weeks, up to and including the day `until`."""

    first: Span
    every: str
    until: date
    interval: int = 1
    skipped: frozenset[date] = frozenset()


def occurrences(series: Series) -> Iterator[Span]:
    """Each span of a series, in order."""
    if series.every not in STEPS:
        raise UnknownError(f"a series repeats every {' or '.join(STEPS)}, not every {series.every}")
    step = STEPS[series.every] * series.interval
    span = series.first
    while span.start.date() <= series.until:
        if span.start.date() not in series.skipped:
            yield span
        span = span.shifted(step)
