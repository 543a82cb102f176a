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
    _watched: dict[str, tuple[float, float]] = field(default_factory=dict)

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
            if not lease.held:
                # it had to let its jobs go, and only its silence tells others to take them
                return
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
        """Take out the workers that were watched from here, silent, for as long as their lease; returns those.

        By this machine's clock alone, which nobody sets: the database's may be set forward and back. A worker that
        beat in time had its last beat taken down before it was first seen here, and stops by itself long before.
        """
        workers = self.fleet.workers()
        self._watched = {worker.member.executor: self._since(worker) for worker in workers}
        silent = [worker for worker in workers if self._silent(worker)]
        return tuple(one.member.executor for one in silent if self.fleet.bury(one.member.executor, one.beat_at))

    def leave(self) -> None:
        """End in good order."""
        self.fleet.leave(self.executor)

    def _since(self, worker: Worker) -> tuple[float, float]:
        """Its last beat, and since when that has been known here to be the last."""
        beat_at, since = self._watched.get(worker.member.executor, (None, 0.0))
        return (worker.beat_at, since if beat_at == worker.beat_at else self.underway.lease.now())

    def _silent(self, worker: Worker) -> bool:
        _, since = self._watched[worker.member.executor]
        return self.underway.lease.now() - since >= worker.member.lease
