import pytest

from roomwise import first_slot, free_slots


def test_an_empty_room_is_free_all_day(calendar, at):
    assert free_slots(calendar, "Elm", at(8, 18)) == [at(8, 18)]


def test_bookings_split_the_day(calendar, at):
    calendar.book("Elm", at(9, 10), "stand-up")
    calendar.book("Elm", at(13, 15), "workshop")
    assert free_slots(calendar, "Elm", at(8, 18)) == [at(8, 9), at(10, 13), at(15, 18)]


@pytest.mark.parametrize(("minutes", "count"), [(30, 3), (60, 3), (61, 2), (180, 2), (181, 0)])
def test_slots_shorter_than_wanted_are_left_out(calendar, at, minutes, count):
    calendar.book("Elm", at(9, 10), "stand-up")
    calendar.book("Elm", at(13, 15), "workshop")
    assert len(free_slots(calendar, "Elm", at(8, 18), minutes)) == count


def test_a_booking_may_end_with_the_day(calendar, at):
    calendar.book("Elm", at(16, 18), "retrospective")
    assert free_slots(calendar, "Elm", at(8, 18)) == [at(8, 16)]


def test_a_booking_may_end_after_the_day(calendar, at):
    calendar.book("Elm", at(16, 20), "party")
    assert free_slots(calendar, "Elm", at(8, 18)) == [at(8, 16)]


def test_other_rooms_do_not_matter(calendar, at):
    calendar.book("Oak", at(8, 18), "conference")
    assert free_slots(calendar, "Elm", at(8, 18)) == [at(8, 18)]


def test_the_smaller_room_is_found_first(calendar, at):
    assert first_slot(calendar, at(8, 18), 45) == ("Ash", at(8, 8.75))


def test_a_room_too_small_is_left_out(calendar, at):
    assert first_slot(calendar, at(8, 18), 60, people=10) == ("Oak", at(8, 9))


def test_the_earliest_slot_wins_over_the_smaller_room(calendar, at):
    calendar.book("Ash", at(8, 11), "call")
    assert first_slot(calendar, at(8, 18), 60, people=3) == ("Elm", at(8, 9))


def test_nothing_is_free(calendar, at):
    for room in ("Ash", "Elm", "Oak"):
        calendar.book(room, at(8, 18), "conference")
    assert first_slot(calendar, at(8, 18), 15) is None
