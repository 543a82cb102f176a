"""Runs whose engine did not do as told in time: what is left of them is unknown until the engine answers again."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

KEPT = 100


@dataclass(frozen=True, slots=True)
class Stuck:
    """A run that may still have a live container; `container` is empty when the engine never named one."""

    run_id: str
    container: str = ""


class Quarantine:
    """The stuck runs of one engine, at most `KEPT`, the oldest leave first: the reaper finds theirs by their label.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        """Nothing is stuck."""
        self._lock = threading.Lock()
        self._held: OrderedDict[Stuck, None] = OrderedDict()

    def add(self, stuck: Stuck) -> None:
        """Keep a run until it is released."""
        with self._lock:
            self._held[stuck] = None
            while len(self._held) > KEPT:
                self._held.popitem(last=False)

    def release(self, stuck: Stuck) -> None:
        """Let a run go, once nothing of it is left."""
        with self._lock:
            self._held.pop(stuck, None)

    @property
    def held(self) -> tuple[Stuck, ...]:
        """The stuck runs, oldest first."""
        with self._lock:
            return tuple(self._held)
