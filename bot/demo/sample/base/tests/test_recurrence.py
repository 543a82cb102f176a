from datetime import date

import pytest

from roomwise import Series, UnknownError, occurrences


def test_a_daily_series_includes_its_last_day(at):
    series = Series(at(9, 10), every="day", until=date(2026, 3, 4))
    assert list(occurrences(series)) == [at(9, 10), at(9, 10, day=1), at(9, 10, day=2)]


def test_a_weekly_series_keeps_its_weekday(at):
    spans = list(occurrences(Series(at(9, 10), every="week", until=date(2026, 3, 31))))
    assert [span.start.day for span in spans] == [2, 9, 16, 23, 30]


def test_an_interval_leaves_weeks_out(at):
    spans = list(occurrences(Series(at(9, 10), every="week", until=date(2026, 3, 31), interval=2)))
    assert [span.start.day for span in spans] == [2, 16, 30]


def test_skipped_days_are_left_out(at):
    series = Series(at(9, 10), every="week", until=date(2026, 3, 20), skipped=frozenset({date(2026, 3, 9)}))
    assert [span.start.day for span in occurrences(series)] == [2, 16]


def test_a_series_that_ends_before_it_starts_is_empty(at):
    assert list(occurrences(Series(at(9, 10), every="day", until=date(2026, 3, 1)))) == []


def test_an_unknown_rule_is_refused(at):
    with pytest.raises(UnknownError, match="not every fortnight"):
        list(occurrences(Series(at(9, 10), every="fortnight", until=date(2026, 3, 31))))
