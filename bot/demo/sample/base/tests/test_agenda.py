from datetime import date

import pytest

from roomwise import day_agenda
from roomwise.agenda import shorten

MONDAY = date(2026, 3, 2)


def test_an_empty_day_says_so(calendar):
    assert day_agenda(calendar, MONDAY) == "2026-03-02: nothing booked"


def test_columns_are_as_wide_as_their_widest_cell(calendar, at):
    calendar.book("Elm", at(9, 10), "stand-up")
    calendar.book("Oak", at(11, 12.5), "a call")
    assert day_agenda(calendar, MONDAY).splitlines() == [
        "2026-03-02",
        "when         room  what",
        "09:00-10:00  Elm   stand-up",
        "11:00-12:30  Oak   a call",
    ]


@pytest.mark.parametrize(("width", "expected"), [(8, "stand-up"), (9, "stand-up"), (7, "stand-…"), (1, "…")])
def test_titles_are_cut_where_they_are_too_long(width, expected):
    assert shorten("stand-up", width) == expected


def test_a_long_title_is_cut_in_the_table(calendar, at):
    calendar.book("Elm", at(9, 10), "an all-day workshop that never ends")
    assert day_agenda(calendar, MONDAY, width=10).splitlines()[-1] == "09:00-10:00  Elm   an all-da…"
