"""The calendar: bookings, and the rule that a room holds one at a time."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from roomwise.errors import CapacityError, ConflictError, UnknownError
from roomwise.rooms import Room
from roomwise.spans import Span


@dataclass(frozen=True, slots=True)
class Booking:
    """One booking of one room."""

    number: int
    room: str
    span: Span
    title: str
    people: int = 1


class Calendar:
    """Every booking of a set of rooms."""

    def __init__(self, rooms: Iterable[Room]) -> None:
        self.rooms: dict[str, Room] = {room.name: room for room in rooms}
        self._bookings: dict[int, Booking] = {}
        self._next = 1

    def book(self, room: str, span: Span, title: str, people: int = 1) -> Booking:
        """Take a room; raises when it is too small or taken."""
        seats = self._room(room).seats
        if people > seats:
            raise CapacityError(f"{room} seats {seats}, not {people}")
        for other in self._bookings.values():
            until = other.span.end
            if other.room == room and span.start <= until and other.span.start < span.end:
                raise ConflictError(f"{room} is taken by {other.title} until {until:%H:%M}")
        booking = Booking(self._next, room, span, title, people)
        self._bookings[booking.number] = booking
        self._next += 1
        return booking

    def cancel(self, number: int) -> Booking:
        """Take a booking out."""
        self.booking(number)
        return self._bookings.pop(number)

    def move(self, number: int, delta: timedelta) -> Booking:
        """Move a booking in time; where the room is taken then, the booking stays as it was."""
        old = self.cancel(number)
        try:
            new = self.book(old.room, old.span.shifted(delta), old.title, old.people)
        except ConflictError:
            self._bookings[number] = old
            raise
        del self._bookings[new.number]
        self._bookings[number] = replace(new, number=number)
        return self._bookings[number]

    def booking(self, number: int) -> Booking:
        """A booking by its number."""
        try:
            return self._bookings[number]
        except KeyError:
            raise UnknownError(f"there is no booking {number}") from None

    def on(self, day: date) -> list[Booking]:
        """The bookings that start on a day, by start and room."""
        found = [booking for booking in self._bookings.values() if booking.span.start.date() == day]
        return sorted(found, key=lambda booking: (booking.span.start, booking.room))

    def busy(self, room: str) -> list[Span]:
        """When a room is taken, in order."""
        name = self._room(room).name
        return sorted(booking.span for booking in self._bookings.values() if booking.room == name)

    def _room(self, name: str) -> Room:
        try:
            return self.rooms[name]
        except KeyError:
            raise UnknownError(f"there is no room {name}") from None
