"""What a booking costs, in whole cents."""

from dataclasses import dataclass

from roomwise.errors import SpanError
from roomwise.spans import Span

SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Tariff:
    """Cents for an hour, charged by started units of so many minutes.

    `long_stay` pairs minutes with the percentage that a stay of at least that length saves.
    """

    hourly: int
    unit: int = 15
    weekend_percent: int = 0
    long_stay: tuple[tuple[int, int], ...] = ()


def units(minutes: int, unit: int) -> int:
    """Started units."""
    if unit < 1:
        raise SpanError(f"a unit lasts at least a minute, not {unit}")
    return (minutes + unit - 1) // unit


def discount(minutes: int, tariff: Tariff) -> int:
    """The percentage that a stay saves: the best of the tiers that it reaches."""
    return max((percent for least, percent in tariff.long_stay if minutes >= least), default=0)


def price(span: Span, tariff: Tariff) -> int:
    """The price in cents, rounded to the nearest, halves up."""
    minutes = units(span.minutes, tariff.unit) * tariff.unit
    percent = 100 - discount(span.minutes, tariff)
    if span.start.weekday() >= SATURDAY:
        percent += tariff.weekend_percent
    return (tariff.hourly * minutes * percent + 3000) // 6000
