"""How often one comment may be edited: a state in between can wait, or be overtaken; the last one is always written."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol
from weakref import WeakValueDictionary

import structlog

from bot.errors import RegreenError
from bot.log import carried

_log = structlog.get_logger(__name__)


class Alarm(Protocol):
    """What will be done later, unless it is cancelled before."""

    def cancel(self) -> None:
        """Do it never; too late when it is being done."""
        ...


def after(seconds: float, act: Callable[[], None]) -> Alarm:
    """Do something later, in a thread that keeps no process from ending."""
    alarm = threading.Timer(seconds, carried(act))
    alarm.daemon = True
    alarm.start()
    return alarm


@dataclass(slots=True, weakref_slot=True, eq=False)
class _Pen:
    """What writes one comment: whoever holds it."""

    held: threading.RLock = field(default_factory=threading.RLock)


@dataclass(slots=True)
class Edits:
    """One for the process. At least `spacing` seconds lie between two edits of one comment.

    What waits is lost with its process: then whoever goes on writes the next state, and the last one.
    """

    spacing: float = 0.0
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    later: Callable[[float, Callable[[], None]], Alarm] = after
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pens: WeakValueDictionary[str, _Pen] = field(default_factory=WeakValueDictionary)
    _waiting: dict[str, Alarm] = field(default_factory=dict)
    _written: dict[str, float] = field(default_factory=dict)
    """Of each comment whose last edit from here was a state in between, when that was."""

    def put(
        self, comment: str, edited_at: float, write: Callable[[], None], *, soon: bool, stands: bool = False
    ) -> None:
        """Write a comment's new state in place of any that waits: now, or with `soon` when its time has come.

        `comment` is its address; `edited_at` is when it was last edited as GitHub says, in epoch seconds. What is not
        `soon` is written when this returns. `stands` says that GitHub showed the same text a moment ago: then it is
        written only where a state in between may come after. Raises what `write` raises.
        """
        pen = self._pen(comment)
        with pen.held:
            overtaken = self._overtake(comment)
            if stands and (soon or not (overtaken or comment in self._written)):
                return
            wait = self._wait(comment, edited_at)
            if soon and wait > 0:
                self._waiting[comment] = self.later(wait, partial(self._due, comment, write))
                return
        if wait > 0:
            self.sleep(wait)
        write()
        with pen.held:
            self._written.pop(comment, None)
            if soon:
                self._written[comment] = self.clock()

    def _pen(self, comment: str) -> _Pen:
        with self._lock:
            return self._pens.setdefault(comment, _Pen())

    def _wait(self, comment: str, edited_at: float) -> float:
        # Clocks differ, and may be set back: no wait is longer than the spacing.
        due = max(edited_at, self._written.get(comment, 0.0)) + self.spacing
        return min(self.spacing, due - self.clock())

    def _overtake(self, comment: str) -> bool:
        waiting = self._waiting.pop(comment, None)
        if waiting is not None:
            waiting.cancel()
        return waiting is not None

    def _due(self, comment: str, write: Callable[[], None]) -> None:
        # Held while it is written, so that nothing newer is written before and then overwritten.
        with self._pen(comment).held:
            if self._waiting.pop(comment, None) is None:
                return
            try:
                write()
            except RegreenError as error:
                _log.warning("state_not_shown", comment=comment, cause=error.cause)
            self._written[comment] = self.clock()
