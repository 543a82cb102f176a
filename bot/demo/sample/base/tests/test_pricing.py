import pytest

from roomwise import SpanError, Tariff, price
from roomwise.pricing import discount, units

PLAIN = Tariff(hourly=4000)
TIERS = Tariff(hourly=4000, long_stay=((120, 10), (240, 25)))


@pytest.mark.parametrize(("minutes", "expected"), [(1, 1), (15, 1), (16, 2), (30, 2), (59, 4), (60, 4)])
def test_started_units_count_whole(minutes, expected):
    assert units(minutes, 15) == expected


def test_a_unit_must_last():
    with pytest.raises(SpanError, match="at least a minute"):
        units(60, 0)


@pytest.mark.parametrize(("hours", "cents"), [(1, 4000), (0.5, 2000), (0.75, 3000), (2, 8000)])
def test_a_stay_is_charged_by_the_hour(at, hours, cents):
    assert price(at(9, 9 + hours), PLAIN) == cents


def test_a_started_unit_is_charged(at):
    assert price(at(9, 9 + 50 / 60), PLAIN) == 4000


@pytest.mark.parametrize(("minutes", "percent"), [(60, 0), (119, 0), (120, 10), (239, 10), (240, 25), (600, 25)])
def test_a_long_stay_saves_the_best_tier_that_it_reaches(minutes, percent):
    assert discount(minutes, TIERS) == percent


def test_a_long_stay_is_cheaper(at):
    assert price(at(9, 11), TIERS) == 7200


@pytest.mark.parametrize(("day", "cents"), [(0, 4000), (4, 4000), (5, 5000), (6, 5000)])
def test_weekends_cost_more(at, day, cents):
    assert price(at(9, 10, day=day), Tariff(hourly=4000, weekend_percent=25)) == cents


def test_cents_are_rounded_to_the_nearest(at):
    assert price(at(9, 9.25), Tariff(hourly=3330)) == 833
