"""Faults that tests order: an error status, a delay, a dropped connection, a rate limit."""

import random
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Effect(StrEnum):
    """What a fault does.

    `STATUS` answers `Fault.status`; the rate limits answer with GitHub's headers, 429 where `Fault.status` is that,
    else 403.
    """

    STATUS = "status"
    DELAY = "delay"
    DROP = "drop"
    PRIMARY_LIMIT = "primary"
    SECONDARY_LIMIT = "secondary"


@dataclass(frozen=True, slots=True)
class Fault:
    """Strikes the next `times` requests whose method and path match; `path` is a regular expression, searched.

    With `after_effect` the operation is performed first: the POST that worked and answered 502. `seconds` is the
    delay, or what Retry-After and the reset of the primary limit say. `headers` are added to the answer.
    """

    method: str
    path: str
    effect: Effect = Effect.STATUS
    status: int = 502
    seconds: float = 1.0
    times: int = 1
    after_effect: bool = False
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weather:
    """Faults that strike by chance: a `share` of the requests whose path matches, each with one of `kinds`."""

    share: float
    kinds: Sequence[Fault]
    dice: random.Random
    path: str = ""

    def strike(self, method: str, path: str) -> Fault | None:
        """One of the kinds that fit this request, or none."""
        if not re.search(self.path, path) or self.dice.random() >= self.share:
            return None
        fitting = [one for one in self.kinds if one.method in {"*", method} and re.search(one.path, path)]
        return self.dice.choice(fitting) if fitting else None


class Faults:
    """The faults that still have to strike, oldest first, and the weather that strikes in between."""

    def __init__(self) -> None:
        """Begin without any."""
        self._left: list[tuple[Fault, int]] = []
        self._lock = threading.Lock()
        self.weather: Weather | None = None
        self.struck = 0

    def add(self, fault: Fault) -> None:
        """Order a fault."""
        with self._lock:
            self._left.append((fault, fault.times))

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that strikes this request, counted down."""
        with self._lock:
            found = self._ordered(method, path) or (self.weather.strike(method, path) if self.weather else None)
            self.struck += found is not None
            return found

    def _ordered(self, method: str, path: str) -> Fault | None:
        for index, (fault, left) in enumerate(self._left):
            if fault.method in {"*", method} and re.search(fault.path, path):
                self._left[index : index + 1] = [(fault, left - 1)] if left > 1 else []
                return fault
        return None

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._left.clear()
