"""One commit for all deliveries that wait: each costs a write to the disk, and the database takes one at a time."""

import threading
from dataclasses import dataclass
from typing import Protocol

from bot.events import Delivery
from bot.events.glance import Glance, glance

MOST = 100
"""Deliveries of one commit."""


class Accepting(Protocol):
    """The part of `SqlInbox` that this is over."""

    def accept_all(self, received: tuple[tuple[Delivery, Glance], ...]) -> tuple[bool, ...]:
        """Record them in one transaction."""
        ...


@dataclass(slots=True)
class _Waiting:
    """A delivery whose sender waits; `answer` is what `accept` returns or raises."""

    received: tuple[Delivery, Glance]
    answer: bool | Exception | None = None


class GroupedInbox:
    """Accepts as `inbox` does, for many threads at once: one of them commits for all that wait, then the next does.

    So no two threads of this process wait for each other at the database, whose way of waiting is to sleep and try
    again, longer each time and in no order. A commit that fails fails for all that were in it.
    """

    def __init__(self, inbox: Accepting) -> None:
        """Keep the inbox; no thread of its own is started."""
        self._inbox = inbox
        self._waiting: list[_Waiting] = []
        self._committing = False
        self._changed = threading.Condition()

    @property
    def waiting(self) -> int:
        """How many wait for the next commit."""
        return len(self._waiting)

    def accept(self, delivery: Delivery) -> bool:
        """Record the delivery durably, `False` when its id is known. Raises `StoreError`, `NoRoomError`."""
        own = _Waiting((delivery, glance(delivery)))
        with self._changed:
            self._waiting.append(own)
        while own.answer is None:
            batch = self._turn(own)
            if batch:
                self._commit(batch)
        if isinstance(own.answer, Exception):
            raise own.answer
        return own.answer

    def _turn(self, own: _Waiting) -> tuple[_Waiting, ...]:
        """Wait for an answer or a turn to commit; what to commit, oldest first, nothing where there is an answer."""
        with self._changed:
            self._changed.wait_for(lambda: own.answer is not None or not self._committing)
            if own.answer is not None:
                return ()
            self._committing = True
            batch = self._waiting[:MOST]
            del self._waiting[:MOST]
        return tuple(batch)

    def _commit(self, batch: tuple[_Waiting, ...]) -> None:
        answers: list[bool | Exception] = [RuntimeError("The commit was broken off") for _ in batch]
        try:
            answers = list(self._inbox.accept_all(tuple(one.received for one in batch)))
        except Exception as error:  # noqa: BLE001 - each of those who wait raises it
            answers = [error for _ in batch]
        finally:
            with self._changed:
                for one, answer in zip(batch, answers, strict=True):
                    one.answer = answer
                self._committing = False
                self._changed.notify_all()
