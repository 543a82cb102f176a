"""What the worker does every few minutes goes on, whatever went wrong the last time."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from fakes_leases import FakeLeases, holding
from structlog.testing import capture_logs

from bot.commands.worker import REAP_SECONDS, RECOVER_SECONDS, hurry, reap, recover, work
from bot.errors import StoreError
from bot.pipeline.intake.recovery import Recovered
from bot.web.readiness import DRAINING, Vitals
from bot.wiring.health import LOOPS
from sandbox.errors import SandboxError

FAULTS = [
    ValueError("unforeseen"),
    StoreError("The database failed", "Repair it."),
    SandboxError("It is down", "Wait."),
]


class Stop(threading.Event):
    """Set at the second wait, or as `most` says."""

    def __init__(self, most: int = 2) -> None:
        super().__init__()
        self.waits, self.most = 0, most

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout
        self.waits += 1
        if self.waits == self.most:
            self.set()
        return self.is_set()


class Patient(threading.Event):
    """Waits for no trouble to pass, and for ever where it would wait for a minute."""

    def wait(self, timeout: float | None = None) -> bool:
        return self.is_set() if (timeout or 0) < REAP_SECONDS else super().wait()


class Chores:
    """Every chore of a worker; each raises at first, and is counted."""

    def __init__(self, fault: Exception) -> None:
        self.fault = fault
        self.done: list[str] = []
        self.reaper = SimpleNamespace(sweep=lambda _now: self._do("sweep"))
        self.retelling = SimpleNamespace(look=lambda: self._do("tell"))
        self.recovery = SimpleNamespace(look=lambda: self._do("recover") or Recovered(0, 0, whole=True))
        self.inbox = SimpleNamespace(lanes=lambda _limit: ())
        self.dispatcher = SimpleNamespace(inbox=self.inbox, hurry=lambda: self._do("hurry"), holding=holding())
        self.keeping = SimpleNamespace(look=lambda: self._do("keep"))
        self.wishing = SimpleNamespace(look=lambda: self._do("fulfil"))
        self.engine = SimpleNamespace(start=lambda: None, close=lambda _grace: True, lost=threading.Event())
        self.grace = 0.0
        self.failed: list[str] = []
        self.vitals = Vitals(LOOPS)
        metrics = SimpleNamespace(failed_chore=self.failed.append)
        self.health = SimpleNamespace(vitals=self.vitals, metrics=metrics, serve=lambda: None)
        self.containment = SimpleNamespace(require=lambda: SimpleNamespace(version="1", runtimes=()))

    def settle(self) -> int:
        return self._do("settle")

    def _do(self, name: str) -> int:
        self.done.append(name)
        if self.done.count(name) == 1:
            raise self.fault
        return 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_chore_that_fails_takes_neither_the_others_nor_itself_away(fault: Exception) -> None:
    chores: Any = Chores(fault)
    with capture_logs() as logs:
        reap(chores, Stop())
        recover(chores, Stop())
        hurry(chores, Stop())
    assert chores.done == ["sweep", "settle", "tell", "keep"] * 2 + ["recover"] * 2 + ["hurry", "fulfil"]
    events = [line["event"] for line in logs]
    chore = ["not_reaped", "not_settled", "not_told", "not_removed"]
    assert events == [*chore, "deliveries_not_recovered", "not_hurried", "wishes_not_seen_to"]
    assert chores.failed == events


def test_what_one_worker_does_for_all_another_leaves_alone_and_recovery_for_minutes_after_it() -> None:
    one, other = (Chores(ValueError()) for _ in range(2))
    one.done = other.done = ["sweep", "settle", "tell", "keep", "recover"]  # so that nothing fails
    leases = FakeLeases("one")
    workers: list[Any] = [one, other]
    one.dispatcher.holding = holding(leases)
    other.dispatcher.holding = holding(FakeLeases("other", leases.now, leases.held))
    leases.take("telling", 60)
    for worker in workers:
        recover(worker, Stop(1))
    reap(workers[1], Stop(1))
    assert one.done[5:] == ["recover", "sweep", "settle", "keep"]
    leases.now.seconds += RECOVER_SECONDS
    recover(workers[1], Stop(1))
    assert one.done[-1] == "recover"


@pytest.mark.parametrize("fault", FAULTS)
def test_an_inbox_that_fails_does_not_end_the_worker(fault: Exception) -> None:
    worker: Any = Chores(fault)
    stop, asked = Patient(), list[int]()

    def lanes(_limit: int) -> tuple[str, ...]:
        asked.append(1)
        if len(asked) == 2:
            stop.set()
            return ()
        raise fault

    worker.inbox.lanes = lanes
    worker.dispatcher.hurry = lambda: threading.Event.wait(stop)
    with capture_logs() as logs:
        work(worker, stop)
    assert len(asked) == 2
    assert "inbox_failed" in [line["event"] for line in logs]
    assert worker.vitals.absent() == DRAINING
