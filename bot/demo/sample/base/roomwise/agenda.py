"""The day as text."""

from datetime import date

from roomwise.booking import Booking, Calendar

HEADINGS = ("when", "room", "what")


def day_agenda(calendar: Calendar, day: date, width: int = 24) -> str:
    """A table of the day's bookings; titles are cut to `width` characters."""
    bookings = calendar.on(day)
    if not bookings:
        return f"{day:%Y-%m-%d}: nothing booked"
    rows = [HEADINGS, *(_row(booking, width) for booking in bookings)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([f"{day:%Y-%m-%d}", *lines])


def shorten(text: str, width: int) -> str:
    """The text, cut to `width` characters with a mark at the end where something is missing."""
    return text if len(text) <= width else text[: width - 1] + "…"


def _row(booking: Booking, width: int) -> tuple[str, str, str]:
    return f"{booking.span.start:%H:%M}-{booking.span.end:%H:%M}", booking.room, shorten(booking.title, width)
