from datetime import date

import pytest

from roomwise import Series, occurrences


@pytest.mark.parametrize(
    ("first_day", "expected"),
    [(0, [(3, 2), (4, 2), (5, 2)]), (29, [(3, 31), (4, 30), (5, 31)])],
)
def test_a_monthly_series_keeps_its_day_or_takes_the_last(at, first_day, expected):
    series = Series(at(9, 10, day=first_day), every="month", until=date(2026, 5, 31))
    assert [(span.start.month, span.start.day) for span in occurrences(series)] == expected
