"""What this worker has leases on, and for how long it can be sure of each whatever becomes of the database."""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.pipeline.ports.leases import Leases

SECONDS = 60.0
"""How long what a dead worker did is left alone."""
BEATS = 6
"""How often in that time leases are renewed."""
ACT_SHARE = 0.5
"""Nothing is begun that only one may do unless so much of a lease is left: what one act takes has to fit into it."""


class LapsedError(Exception):
    """The database could not be told for too long that this worker lives: another may have taken its place."""


class Undisputed:
    """`Leases` of a worker that has no others beside it: all is its own, and nothing has to be kept of that."""

    def take(self, name: str, seconds: float) -> bool:
        """Nobody else holds it."""
        del name, seconds
        return True

    def renew(self, names: Collection[str], seconds: float) -> frozenset[str]:
        """Nobody else took one."""
        del seconds
        return frozenset(names)

    def release(self, name: str) -> None:
        """Nobody else waits for it."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Leases of this process, each for one of its threads; `beat` now and then. `monotonic` gives seconds."""

    leases: Leases
    monotonic: Callable[[], float]
    seconds: float = SECONDS
    _until: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, name: str) -> bool:
        """Hold it; `False` while another worker or thread does. Raises `StoreError`."""
        with self._lock:
            if name in self._until:
                return False
            self._until[name] = 0.0
        asked, taken = self.monotonic(), False
        try:
            taken = self.leases.take(name, self.seconds)
        finally:
            with self._lock:
                if taken:
                    self._until[name] = asked + self.seconds
                else:
                    del self._until[name]
        return taken

    def drop(self, name: str, rest: float = 0.0) -> None:
        """Hold it no more, or leave it to itself for `rest` seconds. Raises `StoreError`."""
        try:
            if rest:
                self.leases.take(name, rest)
            else:
                self.leases.release(name)
        finally:
            with self._lock:
                self._until.pop(name, None)

    @contextmanager
    def turn(self, name: str, rest: float = 0.0) -> Iterator[bool]:
        """Whether it is this worker's turn: where it is, it lasts as long as the block.

        After a block that did not fail nobody else has a turn for `rest` seconds. Raises `StoreError`.
        """
        taken = self.take(name)
        try:
            yield taken
        except BaseException:
            rest = 0.0
            raise
        finally:
            if taken:
                self.drop(name, rest)

    def beat(self) -> None:
        """Renew what is held. Raises `StoreError`."""
        with self._lock:
            names = [name for name, until in self._until.items() if until]
        if not names:
            return
        asked = self.monotonic()
        kept = self.leases.renew(names, self.seconds)
        with self._lock:
            for name in names:
                if name in self._until:
                    self._until[name] = asked + self.seconds if name in kept else 0.0

    def require(self, name: str) -> None:
        """Raises `LapsedError` unless this worker surely holds it for long enough to begin something."""
        if self.monotonic() + ACT_SHARE * self.seconds > self._until.get(name, 0.0):
            raise LapsedError(name)
