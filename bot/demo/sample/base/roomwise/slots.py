"""Free time in a calendar."""

from datetime import timedelta

from roomwise.booking import Calendar
from roomwise.spans import Span, gaps


def free_slots(calendar: Calendar, room: str, within: Span, minutes: int = 30) -> list[Span]:
    """The free slots of a room that last at least so many minutes."""
    return [slot for slot in gaps(calendar.busy(room), within) if slot.minutes >= minutes]


def first_slot(calendar: Calendar, within: Span, minutes: int, people: int = 1) -> tuple[str, Span] | None:
    """The earliest slot in any room that seats everybody, the smaller room among equals; `None` where there is none."""
    found = [
        (slot.start, room.seats, room.name)
        for room in calendar.rooms.values()
        if room.seats >= people
        for slot in free_slots(calendar, room.name, within, minutes)
    ]
    if not found:
        return None
    start, _, name = min(found)
    return name, Span(start, start + timedelta(minutes=minutes))
