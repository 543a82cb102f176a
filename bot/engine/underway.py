"""Which jobs this process works on, in which step each is, and which of them are not wanted any more."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from bot.engine.lease import Lease
from bot.errors import RegreenError

T = TypeVar("T")

STORE_WAITS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, *[30.0] * 8)
"""Seconds between the tries of what a job's end depends on: some minutes, as a disk takes to get room again."""

INWARD = frozenset({"Clock", "Environments", "Model", "Reviews", "Sources", "Workspace"})
"""Ports that leave no trace at GitHub: a job in one of their steps is as good as over once it was cancelled."""


class Unwinding(BaseException):
    """Unwinds a job at its next step; no `except Exception` on the way takes it for a failure."""


class Strayed(Unwinding):
    """Unwinds a job whose steps are others now than those that were recorded of it: none of them can be taken."""


_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _One:
    step: str = ""
    wanted: bool = True

    @property
    def quiet(self) -> bool:
        return not self.step or self.step.partition(".")[0] in INWARD


@dataclass(slots=True)
class Underway:
    """The jobs of one engine. Without its lease none takes a step or records one. Safe to share between threads."""

    lease: Lease = field(default_factory=Lease)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _jobs: dict[str, _One] = field(default_factory=dict)
    _stopping: bool = False
    _given_up: bool = False

    @contextmanager
    def job(self, identity: str) -> Iterator[None]:
        """Work on a job, from its start to its end. Raises `Unwinding` when the worker stops or has it already."""
        with self._changed:
            if self._stopping or identity in self._jobs or not self.lease.held:
                raise Unwinding
            self._jobs[identity] = _One()
        try:
            yield
        finally:
            with self._changed:
                del self._jobs[identity]
                self._changed.notify_all()

    @contextmanager
    def step(self, identity: str, name: str) -> Iterator[None]:
        """Take a step of it. Raises `Unwinding` instead when it was cancelled or the worker stops."""
        with self._changed:
            one = self._jobs[identity]
            if self._stopping or not one.wanted or not self.lease.held:
                raise Unwinding
            one.step = name
        try:
            yield
        finally:
            with self._changed:
                one.step = ""

    def require_wanted(self, identity: str) -> None:
        """Record nothing of a step that was cancelled or given up: what it used is being removed under it."""
        with self._changed:
            if self._given_up or not self._jobs[identity].wanted or not self.lease.held:
                raise Unwinding

    def require_lease(self) -> None:
        """Say nothing more of any job once others may have it."""
        if not self.lease.held:
            raise Unwinding

    def insist(self, identity: str, call: Callable[[], T], otherwise: T) -> T:
        """What `call` returns, again and again while the store fails; `otherwise` where that does not end.

        Raises `Unwinding` as soon as the worker stops, and without its lease at once: others may have the job.
        """
        for wait in STORE_WAITS:
            self.require_lease()
            try:
                return call()
            except RegreenError as error:
                _log.warning("store_failed", job=identity, cause=error.cause)
            with self._changed:
                if self._changed.wait_for(lambda: self._stopping, timeout=wait):
                    raise Unwinding
        return otherwise

    def cancel(self, identity: str) -> bool:
        """Let the job take no further step; whether none that others can see is under way."""
        with self._changed:
            one = self._jobs.get(identity)
            if one is None:
                return True
            one.wanted = False
            self._changed.notify_all()
            return one.quiet

    @property
    def wanted(self) -> frozenset[str]:
        """Those that are under way and were not cancelled."""
        with self._changed:
            return frozenset(identity for identity, one in self._jobs.items() if one.wanted)

    @property
    def jobs(self) -> Mapping[str, bool]:
        """Those that are under way, each with whether it was cancelled and none of its steps can be seen by others."""
        with self._changed:
            return {identity: not one.wanted and one.quiet for identity, one in self._jobs.items()}

    @property
    def seen(self) -> bool:
        """Whether a step is under way that others can see."""
        with self._changed:
            return not all(one.quiet for one in self._jobs.values())

    def give_up(self) -> None:
        """Let no job take a further step, and record nothing of those under way."""
        with self._changed:
            self._stopping = self._given_up = True
            self._changed.notify_all()

    def stop(self, grace: float) -> bool:
        """Let no job take a further step, and wait `grace` seconds for the steps under way; whether all have ended."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            drained = self._changed.wait_for(lambda: not self._jobs, timeout=grace)
            self._given_up = not drained
        return drained
