"""Rooms and the choice between them."""

from collections.abc import Iterable
from dataclasses import dataclass

from roomwise.errors import CapacityError


@dataclass(frozen=True, slots=True)
class Room:
    """One room; `features` are free words such as screen or whiteboard."""

    name: str
    seats: int
    features: frozenset[str] = frozenset()


def choose(rooms: Iterable[Room], people: int, features: frozenset[str] = frozenset()) -> Room:
    """The smallest room that seats everybody and has every feature; the first by name among equals."""
    fitting = [room for room in rooms if room.seats >= people and features <= room.features]
    if not fitting:
        wanted = f" with {', '.join(sorted(features))}" if features else ""
        raise CapacityError(f"no room for {people} people{wanted}")
    return min(fitting, key=lambda room: (room.seats, room.name))
