"""One worker among others: that it lives, what is in its hands, and whose jobs nobody has any more."""

import os
import socket
import threading
import uuid
from dataclasses import dataclass, field

import structlog

from bot.engine.underway import Underway
from bot.pipeline.ports.fleet import Fleet, Member, Worker

BEATS = 10
"""How often a worker beats within its lease."""
SILENCE = 0.2
"""For what part of its lease a worker is still watched after it: a clock that jumped takes nobody's jobs away."""

_log = structlog.get_logger(__name__)


def enlisted(version: str, slots: int, lease: float) -> Member:
    """A member that never was before."""
    host, pid = socket.gethostname(), os.getpid()
    return Member(f"{host}-{pid}-{uuid.uuid4().hex[:8]}", host, pid, version, slots, lease)


@dataclass(slots=True)
class Crew:
    """Safe to share between threads. Methods raise `StoreError`."""

    fleet: Fleet
    member: Member
    underway: Underway
    draining: bool = False
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _lapsed: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def executor(self) -> str:
        """Under which id this worker works."""
        return self.member.executor

    def enlist(self) -> None:
        """Begin to live."""
        since = self.underway.lease.now()
        self.fleet.enlist(self.member)
        self.underway.lease.renew(since)

    def beat(self) -> None:
        """Say that this worker lives, and what is in its hands. Where its lease is over, that stays so."""
        lease = self.underway.lease
        # in turn, lest an older word on what is in its hands comes last
        with self._turn:
            since = lease.now()
            if self.fleet.beat(self.executor, self.underway.jobs, draining=self.draining):
                lease.renew(since)
            else:
                lease.end()

    def in_hands(self) -> frozenset[str]:
        """The jobs that any worker has in its hands, also cancelled ones that are not over yet."""
        return frozenset(identity for worker in self.fleet.workers() for identity in worker.jobs)

    def elsewhere(self, identity: str) -> bool:
        """Whether another worker has a step of this job under way that can be seen, or may take one."""
        others = (worker for worker in self.fleet.workers() if worker.member.executor != self.executor)
        return any(not worker.jobs.get(identity, True) for worker in others)

    def living(self) -> tuple[Member, ...]:
        """All members that may have jobs."""
        return tuple(worker.member for worker in self.fleet.workers())

    def bury(self) -> tuple[str, ...]:
        """Take out the workers whose lease is over by the database's clock and who were silent since; returns those.

        One that beats, whatever the clocks say, is none of them.
        """
        lapsed = {worker.member.executor: worker for worker in self.fleet.workers() if worker.lapsed}
        self._lapsed = {executor: self._since(worker) for executor, worker in lapsed.items()}
        silent = [executor for executor, worker in lapsed.items() if self._silent(worker)]
        return tuple(executor for executor in silent if self.fleet.bury(executor))

    def leave(self) -> None:
        """End in good order."""
        self.fleet.leave(self.executor)

    def _since(self, worker: Worker) -> tuple[float, float]:
        """Its last beat, and since when it has been known to be over."""
        beat_at, since = self._lapsed.get(worker.member.executor, (None, 0.0))
        return (worker.beat_at, since if beat_at == worker.beat_at else self.underway.lease.now())

    def _silent(self, worker: Worker) -> bool:
        _, since = self._lapsed[worker.member.executor]
        return self.underway.lease.now() - since >= SILENCE * worker.member.lease
