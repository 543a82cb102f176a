"""A cancelled job: out of turn, for good, and without a further step, whatever it is about to do."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes_ports import EchoModel, ports
from fakes_store import FakeRuns, fix_issue
from opened_engines import opening, until

from bot.adapters.artifacts import FileArtifacts
from bot.engine.durable import DurableEngine, DurableSettings, RunJob, Wrap
from bot.engine.endings import Endings
from bot.jobs import Job, JobOutcome, State, job_id, subject
from bot.repair.team.roles import Models
from bot.repair.types import Completion, CompletionLimits, Message

OUTCOME = JobOutcome(State.GREEN, "Nothing to fix")
STOPPED = JobOutcome(State.CANCELLED, "Stopped by maintainer")
PATIENCE = 30.0
Start = Callable[..., DurableEngine]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with opening() as opened:

        def make(run_job: RunJob, runs: FakeRuns, kill: Callable[[str], None] = lambda _: None) -> DurableEngine:
            artifacts = FileArtifacts(tmp_path / "artifacts")
            return opened(DurableEngine(DurableSettings(tmp_path), run_job, runs, artifacts, Endings(kill=kill)))

        yield make


@dataclass
class Held:
    """Waits in a call of a port until it is let go; knows how often it was called, and when a job unwound."""

    entered: threading.Event = field(default_factory=threading.Event)
    gate: threading.Event = field(default_factory=threading.Event)
    unwound: threading.Event = field(default_factory=threading.Event)
    calls: int = 0

    def wait(self) -> None:
        self.calls += 1
        self.entered.set()
        assert self.gate.wait(PATIENCE)


class HeldModel(EchoModel):
    def __init__(self, held: Held) -> None:
        super().__init__()
        self.held = held

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        self.held.wait()
        return super().complete(messages, limits)


def two_calls(held: Held) -> RunJob:
    def run(_job: Job, wrap: Wrap) -> JobOutcome:
        try:
            wrapped = wrap(ports(models=Models(coder=HeldModel(held))))
            assert wrapped.models.coder is not None
            for _ in range(2):
                wrapped.models.coder.complete((Message("user", "go on"),), CompletionLimits())
        finally:
            held.unwound.set()
        return OUTCOME

    return run


def test_a_job_that_waits_for_its_turn_never_starts(start: Start) -> None:
    gate, ran = threading.Event(), list[str]()

    def run(job: Job, _wrap: Wrap) -> JobOutcome:
        ran.append(subject(job))
        assert gate.wait(PATIENCE)
        return OUTCOME

    runs = FakeRuns()
    engine = start(run, runs)
    first, second, third = (engine.enqueue(fix_issue(number)) for number in (1, 2, 3))
    until(lambda: ran == ["issue-1"])
    assert engine.cancel(second, STOPPED)
    assert engine.outcome(second) == STOPPED
    gate.set()
    until(lambda: engine.outcome(third) is not None)
    assert ran == ["issue-1", "issue-3"]
    assert runs.outcomes == {first: OUTCOME, second: STOPPED, third: OUTCOME}


def test_a_job_in_the_middle_of_a_step_takes_no_further_one_and_what_it_runs_is_killed(start: Start) -> None:
    held, runs, killed = Held(), FakeRuns(), list[str]()
    engine = start(two_calls(held), runs, killed.append)
    identity = engine.enqueue(fix_issue())
    assert held.entered.wait(PATIENCE)
    assert engine.cancel(identity, STOPPED)
    assert killed == [identity]
    held.gate.set()
    assert held.unwound.wait(PATIENCE)
    assert held.calls == 1
    assert engine.outcome(identity) == runs.outcomes[identity] == STOPPED


def test_while_a_comment_is_being_written_it_is_not_over(start: Start) -> None:
    held, runs = Held(), FakeRuns()

    class HeldGitHub:
        def put_comment(self, issue: int, marker: str, body: str, *, soon: bool = False) -> str:
            del issue, marker, body, soon
            held.wait()
            return "https://x/1"

    def run(_job: Job, wrap: Wrap) -> JobOutcome:
        try:
            wrap(ports(github=HeldGitHub())).github.put_comment(7, "", "")
        finally:
            held.unwound.set()
        return OUTCOME

    engine = start(run, runs)
    identity = engine.enqueue(fix_issue())
    assert held.entered.wait(PATIENCE)
    assert not engine.cancel(identity, STOPPED)
    assert not engine.cancel(identity, STOPPED)
    held.gate.set()
    assert held.unwound.wait(PATIENCE)
    until(lambda: engine.cancel(identity, STOPPED))
    assert runs.outcomes == {identity: STOPPED}


@pytest.mark.parametrize("begun", [False, True])
def test_a_cancelled_job_stays_so_over_a_restart(start: Start, *, begun: bool) -> None:
    held, runs = Held(), FakeRuns()
    engine = start(two_calls(held), runs)
    first = engine.enqueue(fix_issue(1))
    identity = first if begun else engine.enqueue(fix_issue(2))
    assert held.entered.wait(PATIENCE)
    engine.cancel(identity, STOPPED)
    threading.Timer(0.1, held.gate.set).start()
    assert engine.close()
    held.gate.set()
    engine = start(two_calls(held), runs)
    until(lambda: engine.outcome(engine.enqueue(fix_issue(3))) is not None)
    assert engine.outcome(identity) == STOPPED
    assert engine.enqueue(fix_issue(1 if begun else 2)) == identity
    assert engine.outcome(identity) == STOPPED


def test_a_worker_that_died_between_the_row_and_the_queue_starts_no_cancelled_job(start: Start) -> None:
    runs, ran = FakeRuns(outcomes={job_id(fix_issue()): STOPPED}), list[Job]()

    def run(job: Job, _wrap: Wrap) -> JobOutcome:
        ran.append(job)
        return OUTCOME

    engine = start(run, runs)
    identity = engine.enqueue(fix_issue())
    until(lambda: engine.outcome(identity) is not None)
    assert engine.outcome(identity) == STOPPED
    assert ran == []
