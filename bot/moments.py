"""When something was said: deliveries come late, twice and in any order, and what was said last counts. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """`said` is by GitHub's clock and `received` by ours, in seconds since the epoch; 0 where it is not known."""

    said: float = 0.0
    received: float = 0.0

    def is_after(self, other: "Moment") -> bool:
        """Whether this was later: by one clock where both have its time, so that two that differ make no difference."""
        if self.said and other.said:
            return self.said > other.said
        return bool(other.received) and self.received > other.received

    @property
    def at(self) -> float:
        """The one time to keep of it."""
        return self.said or self.received


NEVER = Moment()
"""Of what nobody knows when it was said: it is after nothing."""
