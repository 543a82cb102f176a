"""For how long a worker may go on without word from the database that its jobs are still its own.

Others give a worker's jobs away when they have watched it, silent, for its lease, by their own clocks. The worker stops
by itself long before that, at `HELD` of the lease, by a clock of its machine that nobody sets and that goes on while
the machine sleeps: counted from before a beat was sent, which is earlier than the database took it down, and others saw
it. What is left of the lease is for ending what it runs.
"""

import math
import threading
import time
from collections.abc import Callable

HELD = 0.5


def since_boot() -> float:
    """Seconds by a clock that nobody sets and that goes on in sleep, where there is one."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Lease:
    """Once it is over it stays so. Safe to share between threads."""

    def __init__(self, seconds: float = math.inf, now: Callable[[], float] = since_boot) -> None:
        """Begins with the first beat; without `seconds` it lasts for ever."""
        self.seconds = seconds
        self.now = now
        self._lock = threading.Lock()
        self._until = math.inf
        self._over = False

    def renew(self, since: float) -> None:
        """Go on, since a beat that was sent at `since` was taken down; beats come one after the other."""
        with self._lock:
            self._until = since + HELD * self.seconds

    def end(self) -> None:
        """It is over: the database said so."""
        with self._lock:
            self._over = True

    @property
    def held(self) -> bool:
        """Whether the worker may go on."""
        with self._lock:
            self._over = self._over or self.now() >= self._until
            return not self._over
