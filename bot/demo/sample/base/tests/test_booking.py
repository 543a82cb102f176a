from datetime import date, timedelta

import pytest

from roomwise import CapacityError, ConflictError, UnknownError


def test_a_booking_gets_a_number_and_keeps_its_details(calendar, at):
    booking = calendar.book("Elm", at(9, 10), "stand-up", people=5)
    assert (booking.number, booking.room, booking.title, booking.people) == (1, "Elm", "stand-up", 5)


def test_numbers_are_not_used_again(calendar, at):
    calendar.cancel(calendar.book("Elm", at(9, 10), "one").number)
    assert calendar.book("Elm", at(9, 10), "two").number == 2


@pytest.mark.parametrize("people", [7, 20])
def test_a_room_too_small_is_refused(calendar, at, people):
    with pytest.raises(CapacityError, match="Elm seats 6"):
        calendar.book("Elm", at(9, 10), "all hands", people)


def test_a_full_room_is_fine(calendar, at):
    assert calendar.book("Elm", at(9, 10), "workshop", people=6).people == 6


def test_an_unknown_room_is_refused(calendar, at):
    with pytest.raises(UnknownError, match="no room Yew"):
        calendar.book("Yew", at(9, 10), "stand-up")


@pytest.mark.parametrize(("start", "end"), [(9, 10), (9.25, 9.75), (8.5, 9.5), (9.5, 10.5), (8, 11)])
def test_a_room_holds_one_booking_at_a_time(calendar, at, start, end):
    calendar.book("Elm", at(9, 10), "stand-up")
    with pytest.raises(ConflictError, match="Elm is taken by stand-up"):
        calendar.book("Elm", at(start, end), "retrospective")


def test_two_rooms_can_be_taken_at_once(calendar, at):
    calendar.book("Elm", at(9, 10), "stand-up")
    assert calendar.book("Oak", at(9, 10), "interview").room == "Oak"


def test_a_booking_can_end_when_the_next_one_starts(calendar, at):
    calendar.book("Elm", at(10, 11), "review")
    calendar.book("Elm", at(9, 10), "stand-up")
    assert calendar.busy("Elm") == [at(9, 10), at(10, 11)]


def test_a_booking_can_start_when_the_last_one_ends(calendar, at):
    calendar.book("Elm", at(9, 10), "stand-up")
    calendar.book("Elm", at(10, 11), "review")
    assert calendar.busy("Elm") == [at(9, 10), at(10, 11)]


def test_a_morning_can_be_booked_back_to_back(calendar, at):
    for hour in (8, 9, 10, 11):
        calendar.book("Oak", at(hour, hour + 1), f"interview {hour - 7}")
    assert [booking.title for booking in calendar.on(date(2026, 3, 2))][-1] == "interview 4"


def test_a_cancelled_booking_makes_room(calendar, at):
    calendar.cancel(calendar.book("Elm", at(9, 10), "stand-up").number)
    assert calendar.book("Elm", at(9, 10), "review").title == "review"


def test_cancelling_twice_is_refused(calendar, at):
    number = calendar.book("Elm", at(9, 10), "stand-up").number
    calendar.cancel(number)
    with pytest.raises(UnknownError, match="no booking 1"):
        calendar.cancel(number)


def test_moving_keeps_the_number(calendar, at):
    number = calendar.book("Elm", at(9, 10), "stand-up").number
    moved = calendar.move(number, timedelta(hours=2))
    assert (moved.number, calendar.booking(number).span) == (number, at(11, 12))


def test_a_booking_can_move_by_less_than_its_length(calendar, at):
    number = calendar.book("Elm", at(9, 10), "stand-up").number
    assert calendar.move(number, timedelta(minutes=15)).span == at(9.25, 10.25)


def test_a_move_onto_another_booking_changes_nothing(calendar, at):
    number = calendar.book("Elm", at(9, 10), "stand-up").number
    calendar.book("Elm", at(11, 12), "review")
    with pytest.raises(ConflictError):
        calendar.move(number, timedelta(hours=2))
    assert calendar.booking(number).span == at(9, 10)


def test_a_day_lists_its_bookings_by_time_and_room(calendar, at):
    calendar.book("Oak", at(9, 10), "interview")
    calendar.book("Elm", at(9, 10), "stand-up")
    calendar.book("Elm", at(9, 10, day=1), "tomorrow")
    calendar.book("Ash", at(8, 9), "coffee")
    assert [booking.title for booking in calendar.on(date(2026, 3, 2))] == ["coffee", "stand-up", "interview"]
