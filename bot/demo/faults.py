"""Faults that tests order: an error status, a delay, a dropped connection, a rate limit."""

import re
import threading
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


class Faults:
    """The faults that still have to strike, oldest first."""

    def __init__(self) -> None:
        """Begin without any."""
        self._left: list[tuple[Fault, int]] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        """Order a fault."""
        with self._lock:
            self._left.append((fault, fault.times))

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that strikes this request, counted down."""
        with self._lock:
            for index, (fault, left) in enumerate(self._left):
                if fault.method in {"*", method} and re.search(fault.path, path):
                    self._left[index : index + 1] = [(fault, left - 1)] if left > 1 else []
                    return fault
        return None

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._left.clear()
