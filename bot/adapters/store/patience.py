"""Waiting for a database that is restarted or cut off for a moment, so that a job outlives that.

What is called again must bear it, for the answer of a commit may have been lost: every store here does.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import structlog

from bot.errors import StoreDownError

T = TypeVar("T")
P = ParamSpec("P")

WAITS = (0.2, 0.5, 1.0, 2.0, *[5.0] * 24)
"""Seconds between the tries, two minutes in all: longer than a worker without its database keeps its jobs."""

_log = structlog.get_logger(__name__)


def insist(call: Callable[[], T], waits: tuple[float, ...] = WAITS, sleep: Callable[[float], None] = time.sleep) -> T:
    """What the call returns once the database answers. Raises `StoreDownError` after the last wait."""
    for tried, wait in enumerate(waits):
        try:
            return call()
        except StoreDownError as error:
            if not tried:
                _log.warning("database_awaited", cause=error.cause)
            sleep(wait)
    return call()


def patient(store: T, waits: tuple[float, ...] = WAITS, sleep: Callable[[float], None] = time.sleep) -> T:
    """The same store, each of whose methods waits so for the database."""
    return cast("T", _Patient(store, waits, sleep))


class _Patient:
    def __init__(self, store: object, waits: tuple[float, ...], sleep: Callable[[float], None]) -> None:
        self._store = store
        self._waits = waits
        self._sleep = sleep

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return self._insisting(found) if callable(found) else found

    def _insisting(self, method: Callable[P, T]) -> Callable[P, T]:
        @wraps(method)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            return insist(lambda: method(*args, **kwargs), self._waits, self._sleep)

        return called
