"""One start of a worker, from its first beat to its last: which jobs it takes, and that they are its own.

On Postgres two workers never have one job at the same time:

- A worker takes a job that waits by moving it to its own queue, under a lock, where no other looks.
- It lives as long as its row is there, which each of its beats changes. When it could not beat for half of its lease,
  by a clock of its machine, it stops by itself: no step begins any more, none under way is recorded, and what they run
  is killed.
- Others take it out once they have watched it, silent, for its whole lease, each by its own clock: the database's may
  be set. Only then its jobs wait again. A beat that comes later finds no row, and the worker stops as above.
- Whatever it records after all, the database refuses: DBOS writes a step only where the job is still the execution's.

What is left is a step with an effect outside, under way while the lease ended: each may be made again by design.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

import structlog

from bot.engine.crew import BEATS, Crew
from bot.engine.endings import Endings
from bot.engine.line import Line, Standing, queue_of
from bot.engine.rounds import Rounds
from bot.engine.turns import Limits, choose
from bot.engine.underway import Underway, Unwinding
from bot.errors import RegreenError
from bot.pipeline.ports.fleet import Starts
from bot.pipeline.ports.store import Runs

TAKE_SECONDS = 0.2
LOOK_SECONDS = 0.5
GUARD_SECONDS = 0.25
ORPHANED = 0.5
"""For what part of the lease a job is the worker's by the database and by nothing else, before it waits again."""
STOP_SECONDS = 2.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a shift works with; `forget` takes out the queue of an executor that is no more."""

    line: Line
    runs: Runs
    endings: Endings
    version: str
    slots: int
    limits: Limits
    forget: Callable[[str], None]


@dataclass(slots=True)
class Shift:
    """Safe to share between threads. Without a `crew` this is the only worker there is."""

    parts: Parts
    executor: str
    starts: Starts
    underway: Underway
    crew: Crew | None = None
    wake: threading.Event = field(default_factory=threading.Event)
    lost: threading.Event = field(default_factory=threading.Event)
    _closing: bool = False
    _ended: set[str] = field(default_factory=set)
    _orphans: dict[str, float] = field(default_factory=dict)

    @property
    def line(self) -> Line:
        """Where jobs wait."""
        return self.parts.line

    def enlist(self, rounds: Rounds) -> None:
        """Begin to live, before anything is taken. Raises `StoreError`."""
        if self.crew:
            self.crew.enlist()
            lease = self.crew.member.lease
            rounds.begin("beat", lease / BEATS, self.crew.beat)
            rounds.begin("guard", min(GUARD_SECONDS, lease / (4 * BEATS)), self.guard)

    def begin(self, rounds: Rounds) -> None:
        """Take jobs from now on."""
        rounds.begin("take", TAKE_SECONDS, self.take, self.wake)
        if self.crew:
            lease = self.crew.member.lease
            rounds.begin("look", LOOK_SECONDS, self.look)
            rounds.begin("reap", lease / BEATS, self.reap)

    @contextmanager
    def job(self, identity: str) -> Iterator[None]:
        """Work on a job that was taken, from its start to its end."""
        self._ended.discard(identity)
        try:
            with self.underway.job(identity):
                try:
                    if self.crew:
                        self._receive(identity, self.crew)
                    yield
                finally:
                    self.starts.got_on(identity)
        finally:
            self._ended.add(identity)
            self.wake.set()
            self._publish()

    def take(self) -> tuple[str, ...]:
        """Take as many of the jobs that wait as there is room for, each in its turn; returns those."""
        full = len(self.underway.jobs) >= self.parts.slots
        if full or self._closing or not self.underway.lease.held or not self.line.anyone():
            return ()
        return self.line.take(self.executor, self.parts.version, self._choose)

    def look(self) -> None:
        """End what this worker works on and should not, since another cancelled it."""
        wanted = self.underway.wanted
        if not wanted:
            return
        unwanted = wanted - self.line.running(self.executor)
        for identity in unwanted:
            self.underway.cancel(identity)
            self.parts.endings.kill(identity)
        if unwanted:
            self._publish()

    def guard(self) -> None:
        """Let every job go once the lease is over."""
        if self.underway.lease.held or self.lost.is_set():
            return
        jobs = tuple(self.underway.jobs)
        _log.error("lease_lost", jobs=len(jobs))
        self.underway.give_up()
        self._kill(jobs)
        self.lost.set()

    def reap(self) -> None:
        """Let the jobs of workers wait again that are no more, and those that nobody works on."""
        if self.crew is None or not self.underway.lease.held:
            return
        for executor in self.crew.bury():
            _log.warning("worker_lapsed", executor=executor)
        # first those that have jobs: one that enlists in between has none yet
        holders = self.line.holders()
        for executor in holders - {member.executor for member in self.crew.living()}:
            _log.warning("jobs_taken_over", executor=executor, jobs=self.line.give_back(executor))
            self.parts.forget(executor)
        self._let_orphans_wait()

    def cancel(self, identity: str) -> bool:
        """Let this job, which was cancelled, take no further step; whether nothing more of it can be seen by others."""
        quiet = self.underway.cancel(identity)
        self.parts.endings.kill(identity)
        self._publish()
        return quiet and not (self.crew and self.crew.elsewhere(identity))

    def end(self, grace: float, rounds: Rounds) -> bool:
        """Take nothing more, and wait `grace` seconds for the steps under way; whether all have ended.

        The jobs wait again at once, unless a step goes on that others can see: then they do when the lease is over.
        """
        self._closing = True
        if self.crew:
            self.crew.draining = True
            self._publish()
        if self.underway.lease.held:
            self.starts.clear()
        drained = self.underway.stop(grace)
        rounds.stop(STOP_SECONDS)
        if self.crew and self.underway.lease.held and not self.underway.seen:
            with suppress(RegreenError):
                self.line.give_back(self.executor)
                self.parts.forget(self.executor)
                self.crew.leave()
        return drained

    def close(self) -> None:
        """Close the connections to the database."""
        self.line.close()
        if self.crew:
            self.crew.fleet.close()

    def _choose(self, standing: Standing) -> tuple[str, ...]:
        queue, working = queue_of(self.executor), set(self.underway.jobs)
        rows = {identity for identity, _, other in standing.taken if other == queue}
        # what has just ended here takes no room any more, though its row does not say so yet
        self._ended &= rows
        room = self.parts.slots - len(rows - self._ended | working)
        under_way = {place.repository: place.installation for _, place, _ in standing.taken}
        for identity in working | (self.crew.in_hands() if self.crew else set()):
            under_way.setdefault(identity.partition(":")[0], "")
        served = self.parts.runs.last_begun(tuple({one.place.repository for one in standing.waiting}))
        return choose(standing.waiting, under_way, served, room, self.parts.limits)

    def _receive(self, identity: str, crew: Crew) -> None:
        """Say that the job is in these hands, before anything is read of it: who cancels it later sees that."""
        self.underway.insist(identity, crew.beat, None)
        none: frozenset[str] = frozenset()
        # one that began so late that it was given back
        running = self.underway.insist(identity, partial(self.line.running, self.executor), none)
        if identity not in running:
            raise Unwinding

    def _let_orphans_wait(self) -> None:
        """A claim whose answer was lost with a connection is nobody's: DBOS never ran it."""
        now, patience = self.underway.lease.now(), ORPHANED * self.underway.lease.seconds
        alone = self.line.running(self.executor) - set(self.underway.jobs)
        self._orphans = {identity: self._orphans.get(identity, now) for identity in alone}
        old = [identity for identity, since in self._orphans.items() if now - since >= patience]
        if old:
            _log.warning("jobs_orphaned", jobs=self.line.give_back(self.executor, old))

    def _publish(self) -> None:
        """Say at once what is in this worker's hands; the next beat says it anyway."""
        if self.crew and self.underway.lease.held:
            with suppress(RegreenError):
                self.crew.beat()

    def _kill(self, jobs: Iterable[str]) -> None:
        """All at once, lest one that an engine keeps waiting for holds up the others."""
        threads = [threading.Thread(target=self.parts.endings.kill, args=(job,), daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(self.underway.lease.seconds / 4)
