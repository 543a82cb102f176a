from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from roomwise import Calendar, Room, Span

MONDAY = datetime(2026, 3, 2)


@pytest.fixture
def calendar() -> Calendar:
    return Calendar([Room("Elm", 6), Room("Oak", 12, frozenset({"screen"})), Room("Ash", 4)])


@pytest.fixture
def at() -> Callable[..., Span]:
    """A span on Monday from and until hours, such as 9.5 for half past nine."""

    def span(start: float, end: float, day: int = 0) -> Span:
        midnight = MONDAY + timedelta(days=day)
        return Span(midnight + timedelta(hours=start), midnight + timedelta(hours=end))

    return span
