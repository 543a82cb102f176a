"""Several lanes of deliveries at once, each in a thread of its own: one that hangs holds up only itself."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from bot.errors import RegreenError
from bot.pipeline.intake.dispatch import Dispatcher

SIZE = 8
IDLE_SECONDS = 0.2
TROUBLE_SECONDS = 5.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pool:
    """`run` until `stop` is set. Its threads are daemons: one that hangs keeps no process from its end."""

    dispatcher: Dispatcher
    stop: threading.Event
    turned: Callable[[], None] = lambda: None
    """Told at each turn of the loop."""
    size: int = SIZE
    _busy: dict[str, threading.Thread] = field(default_factory=dict)
    _freed: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Begin lanes as their deliveries come and threads are free; whatever goes wrong is logged, and goes on."""
        while not self.stop.is_set():
            self._freed.clear()
            self.turned()
            try:
                self.feed()
            except Exception as error:  # noqa: BLE001 - a fault must not end the worker, with all jobs under way
                _tell(error)
                self.stop.wait(TROUBLE_SECONDS)
            # a lane that ended makes room, and may have more
            self._freed.wait(IDLE_SECONDS)

    def feed(self) -> int:
        """Begin as many lanes as there is room for; returns how many. Raises `StoreError`."""
        room = self.size - len(self._busy)
        # among the oldest may be those under way
        lanes = self.dispatcher.inbox.lanes(self.size) if room > 0 else ()
        begun = [lane for lane in lanes if lane not in self._busy][:room]
        for lane in begun:
            thread = threading.Thread(target=self._work, args=(lane,), name=f"lane {lane}", daemon=True)
            self._busy[lane] = thread
            thread.start()
        return len(begun)

    def drain(self, seconds: float) -> bool:
        """Wait for the deliveries under way; `False` says that one still is."""
        deadline = time.monotonic() + seconds
        for thread in list(self._busy.values()):
            thread.join(max(0.0, deadline - time.monotonic()))
        return not self._busy

    def _work(self, lane: str) -> None:
        try:
            self.dispatcher.work(lane, self.stop.is_set)
        except Exception as error:  # noqa: BLE001 - nor this lane for good
            _tell(error)
            self.stop.wait(TROUBLE_SECONDS)
        finally:
            self._busy.pop(lane, None)
            self._freed.set()


def _tell(error: Exception) -> None:
    if isinstance(error, RegreenError):
        _log.error("inbox_failed", cause=error.cause)
    else:
        _log.error("inbox_failed", exc_info=error)
