"""How fast we may write: one for the process, shared by every repository's adapter."""

import threading
import time
from collections.abc import Callable

from bot.adapters.github.edits import Edits


class Pace:
    """At least `spacing` seconds between two writes, `edit_spacing` between two edits of one comment.

    Waits of `backoff` seconds, doubled each time, after failures.

    `patience` is the longest wait in seconds that a rate limit may ask for before the call is given up. `clock` tells
    epoch seconds. Source: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    """

    def __init__(
        self,
        spacing: float = 1.0,
        *,
        edit_spacing: float = 0.0,
        backoff: float = 1.0,
        patience: float = 120.0,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Keep the numbers; nothing waits yet."""
        self.spacing = spacing
        self.backoff = backoff
        self.patience = patience
        self.clock = clock
        self.sleep = sleep
        self.edits = Edits(edit_spacing, clock, sleep)
        self._lock = threading.Lock()
        self._last_write = float("-inf")

    def await_turn(self) -> None:
        """Return when the next write may go out."""
        with self._lock:
            # A clock that was set back must not stop us for longer than the spacing.
            wait = min(self.spacing, self._last_write + self.spacing - self.clock())
            if wait > 0:
                self.sleep(wait)
            self._last_write = self.clock()
