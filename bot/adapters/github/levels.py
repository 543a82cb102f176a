"""Who may do what in a repository, remembered for a minute: one for the process, shared by all adapters."""

import threading
import time
from collections.abc import Callable

from bot.pipeline.ports.github import Permission

SECONDS = 60.0
MOST_KEPT = 10_000

Key = tuple[int, str, str]


class Levels:
    """Collaborators' levels. A burst of comments asks GitHub once; who lost a level has it for a minute at most."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Know nobody yet; `clock` tells seconds that never go back."""
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[Key, tuple[float, Permission]] = {}

    def of(self, installation: int, repository: str, login: str, ask: Callable[[], Permission]) -> Permission:
        """The level that `ask` told within the last minute, or tells now. Raises what `ask` does; no error is kept."""
        key = (installation, repository.casefold(), login.casefold())
        with self._lock:
            found = self._kept.get(key)
            if found is not None and self._clock() < found[0]:
                return found[1]
        # asked outside of the lock: one slow answer must not hold up everybody else's
        level = ask()
        with self._lock:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = (self._clock() + SECONDS, level)
        return level
