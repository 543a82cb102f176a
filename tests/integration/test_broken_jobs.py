"""A job that the engine has to end: it strayed from its record, its run broke, or the store failed at its end."""

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
from bot.errors import ModelError, StoreError
from bot.jobs import Job, JobOutcome, State, job_id
from bot.repair.team.roles import Models
from bot.repair.types import Completion, CompletionLimits, Message

OUTCOME = JobOutcome(State.PUBLISHED, "Opened #9", pull_request=9)
PATIENCE = 30.0
Start = Callable[[RunJob, FakeRuns], DurableEngine]


@dataclass
class Told:
    """What the engine had said of the jobs that it ended."""

    stranded: list[str] = field(default_factory=list)
    failed: list[tuple[str, JobOutcome]] = field(default_factory=list)

    def strand(self, job: Job) -> JobOutcome:
        self.stranded.append(job_id(job))
        return JobOutcome(State.FAILED, "It cannot go on", "Updated")

    def fail(self, job: Job, outcome: JobOutcome) -> None:
        self.failed.append((job_id(job), outcome))


@dataclass
class ShakyRuns(FakeRuns):
    """`Runs` whose next reads and writes of an outcome fail."""

    reads: int = 0
    writes: int = 0

    def outcome(self, identity: str) -> JobOutcome | None:
        if self.reads > 0:
            self.reads -= 1
            raise StoreError("The database is locked", "Wait.")
        return super().outcome(identity)

    def ended(self, identity: str, outcome: JobOutcome) -> JobOutcome:
        if self.writes > 0:
            self.writes -= 1
            raise StoreError("The database is locked", "Wait.")
        return super().ended(identity, outcome)


class HeldModel(EchoModel):
    """Waits in each call until told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.gate = threading.Event(), threading.Event()

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        self.entered.set()
        assert self.gate.wait(PATIENCE)
        return super().complete(messages, limits)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def start(tmp_path: Path, told: Told) -> Iterator[Start]:
    with opening() as opened:

        def make(run_job: RunJob, runs: FakeRuns) -> DurableEngine:
            endings, artifacts = Endings(strand=told.strand, fail=told.fail), FileArtifacts(tmp_path / "artifacts")
            return opened(DurableEngine(DurableSettings(tmp_path), run_job, runs, artifacts, endings))

        yield make


def queued(engine: DurableEngine, runs: FakeRuns) -> str:
    runs.started(job_id(fix_issue()), fix_issue())
    return engine.enqueue(fix_issue())


def test_a_job_that_strays_from_its_record_takes_no_further_step_and_ends_with_a_word(start: Start, told: Told) -> None:
    model, runs, after = HeldModel(), FakeRuns(), list[str]()
    changed = threading.Event()

    def run(_job: Job, wrap: Wrap) -> JobOutcome:
        wrapped = wrap(ports(models=Models(coder=model)))
        assert wrapped.models.coder is not None
        try:
            if changed.is_set():
                wrapped.clock.now()
            wrapped.models.coder.complete((Message("user", "go on"),), CompletionLimits())
            wrapped.clock.now()
        except Exception as error:  # noqa: BLE001 - as a run does, which then goes on to its last word
            after.append(type(error).__name__)
        return OUTCOME

    engine = start(run, runs)
    identity = queued(engine, runs)
    assert model.entered.wait(PATIENCE)
    threading.Timer(0.2, model.gate.set).start()
    assert engine.close()
    changed.set()
    engine = start(run, runs)
    until(lambda: engine.outcome(identity) is not None)
    assert runs.outcomes == {identity: JobOutcome(State.FAILED, "It cannot go on", "Updated")}
    assert (told.stranded, told.failed, after) == ([identity], [], [])


@pytest.mark.parametrize("fault", [ModelError("The model is down", "Start it."), KeyError("unforeseen")])
def test_a_job_whose_run_breaks_ends_with_a_word(start: Start, told: Told, fault: Exception) -> None:
    def run(_job: Job, _wrap: Wrap) -> JobOutcome:
        raise fault

    runs = FakeRuns()
    engine = start(run, runs)
    identity = queued(engine, runs)
    until(lambda: engine.outcome(identity) is not None)
    assert told.failed == [(identity, runs.outcomes[identity])]


def test_a_store_that_fails_for_a_moment_takes_no_outcome_away(start: Start, told: Told) -> None:
    runs = ShakyRuns(reads=2, writes=2)
    engine = start(lambda _job, _wrap: OUTCOME, runs)
    identity = queued(engine, runs)
    until(lambda: engine.outcome(identity) is not None)
    assert runs.outcomes == {identity: OUTCOME}
    assert engine.outcome(identity) == OUTCOME
    assert told.failed == []


def test_a_job_whose_row_cannot_be_ended_holds_up_no_stop_and_ends_at_the_next_start(start: Start) -> None:
    runs = ShakyRuns(writes=1_000)
    engine = start(lambda _job, _wrap: OUTCOME, runs)
    identity = queued(engine, runs)
    until(lambda: runs.writes < 1_000)
    assert engine.close()
    runs.writes = 0
    engine = start(lambda _job, _wrap: OUTCOME, runs)
    until(lambda: engine.outcome(identity) is not None)
    assert runs.outcomes == {identity: OUTCOME}
