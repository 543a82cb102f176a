"""What can go wrong, in one tree."""


class RoomwiseError(Exception):
    """The root of this package's errors."""


class SpanError(RoomwiseError):
    """A span that ends before it starts, or has no length."""


class ConflictError(RoomwiseError):
    """The room is taken."""


class CapacityError(RoomwiseError):
    """More people than seats."""


class UnknownError(RoomwiseError):
    """A room, a booking or a rule that nobody knows."""
