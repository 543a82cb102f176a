"""A change that people ask for on top of what is there: where they point at, and whether a test shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a file of the base tree that somebody pointed at, counted from 1; 0 for the file as a whole."""

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What the text of a task asks for, beside its targets.

    `unshown` says that there are none: no test tells whether it was done, so a patch need only break nothing.
    """

    spots: tuple[Spot, ...] = ()
    unshown: bool = False


NOTHING = Asked()
