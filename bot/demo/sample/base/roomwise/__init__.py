"""Meeting rooms: who has which, when the next one is free, and what it costs."""

from roomwise.agenda import day_agenda
from roomwise.booking import Booking, Calendar
from roomwise.errors import CapacityError, ConflictError, RoomwiseError, SpanError, UnknownError
from roomwise.pricing import Tariff, price
from roomwise.recurrence import Series, occurrences
from roomwise.rooms import Room, choose
from roomwise.slots import first_slot, free_slots
from roomwise.spans import Span, gaps, merge

__all__ = [
    "Booking",
    "Calendar",
    "CapacityError",
    "ConflictError",
    "Room",
    "RoomwiseError",
    "Series",
    "Span",
    "SpanError",
    "Tariff",
    "UnknownError",
    "choose",
    "day_agenda",
    "first_slot",
    "free_slots",
    "gaps",
    "merge",
    "occurrences",
    "price",
]
