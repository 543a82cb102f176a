from datetime import datetime, timedelta

import pytest

from roomwise import Span, SpanError, gaps, merge


def test_a_span_must_have_a_length():
    with pytest.raises(SpanError, match="must end after"):
        Span(datetime(2026, 3, 2, 9), datetime(2026, 3, 2, 9))


def test_a_span_must_not_run_backwards():
    with pytest.raises(SpanError):
        Span(datetime(2026, 3, 2, 9), datetime(2026, 3, 2, 8))


def test_minutes_cross_midnight():
    assert Span(datetime(2026, 3, 2, 23, 30), datetime(2026, 3, 3, 0, 15)).minutes == 45


@pytest.mark.parametrize(("hour", "inside"), [(8, False), (9, True), (9.5, True), (10, False), (11, False)])
def test_the_start_belongs_to_a_span_and_the_end_does_not(at, hour, inside):
    moment = datetime(2026, 3, 2) + timedelta(hours=hour)
    assert at(9, 10).contains(moment) is inside


def test_shifting_keeps_the_length(at):
    shifted = at(9, 10.5).shifted(timedelta(days=1))
    assert (shifted, shifted.minutes) == (at(9, 10.5, day=1), 90)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(8, 10, (9, 10)), (10, 11, (10, 11)), (11, 14, (11, 12)), (6, 9, None), (12, 13, None), (7, 15, (9, 12))],
)
def test_clipping_keeps_what_lies_inside(at, start, end, expected):
    assert at(start, end).clipped(at(9, 12)) == (at(*expected) if expected else None)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], []),
        ([(9, 10)], [(9, 10)]),
        ([(9, 10), (10, 11)], [(9, 11)]),
        ([(9, 11), (10, 12)], [(9, 12)]),
        ([(9, 12), (10, 11)], [(9, 12)]),
        ([(13, 14), (9, 10)], [(9, 10), (13, 14)]),
    ],
)
def test_merging_joins_what_overlaps_or_touches(at, spans, expected):
    assert merge([at(*span) for span in spans]) == [at(*span) for span in expected]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], [(9, 12)]),
        ([(9, 10)], [(10, 12)]),
        ([(10, 11)], [(9, 10), (11, 12)]),
        ([(8, 13)], []),
        ([(7, 8)], [(9, 12)]),
        ([(11, 14)], [(9, 11)]),
    ],
)
def test_gaps_are_what_is_left(at, spans, expected):
    assert gaps([at(*span) for span in spans], at(9, 12)) == [at(*span) for span in expected]
