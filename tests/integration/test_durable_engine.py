"""What only the durable engine does. `test_killed_worker.py` shows the same across processes."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fakes_ports import EchoModel, ports
from fakes_store import FakeRuns, fix_check, fix_issue
from opened_engines import opening, until
from structlog.testing import capture_logs

from bot.adapters.artifacts import FileArtifacts
from bot.engine.durable import APPLICATION_VERSION, MAX_STARTS, DurableEngine, DurableSettings, RunJob, Wrap
from bot.engine.turns import PATIENCE
from bot.errors import ConfigurationError, ModelError
from bot.jobs import Job, JobOutcome, State, job_id
from bot.repair.team.roles import Models
from bot.repair.types import Completion, CompletionLimits, Message

OUTCOME = JobOutcome(State.GREEN, "Nothing to fix")
Start = Callable[[RunJob, FakeRuns], DurableEngine]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with opening() as opened:

        def make(run_job: RunJob, runs: FakeRuns) -> DurableEngine:
            return opened(
                DurableEngine(DurableSettings(tmp_path), run_job, runs, FileArtifacts(tmp_path / "artifacts"))
            )

        yield make


class GatedModel(EchoModel):
    """Counts its calls and waits in the second until told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.gate = threading.Event()

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        self.calls += 1
        if self.calls == 2:
            assert self.gate.wait(30)
        return super().complete(messages, limits)


def three_calls(model: EchoModel) -> RunJob:
    def run(_job: Job, wrap: Wrap) -> JobOutcome:
        wrapped = wrap(ports(models=Models(coder=model)))
        assert wrapped.models.coder is not None
        said = [wrapped.models.coder.complete((Message("user", str(n)),), CompletionLimits()).text for n in range(3)]
        return JobOutcome(State.GREEN, " ".join(said))

    return run


def test_a_job_that_was_stopped_resumes_after_its_last_recorded_step(start: Start) -> None:
    model, runs = GatedModel(), FakeRuns()
    engine = start(three_calls(model), runs)
    identity = engine.enqueue(fix_issue())
    until(lambda: model.calls == 2)
    threading.Timer(0.2, model.gate.set).start()
    assert engine.close()
    assert runs.outcomes == {}
    assert model.calls == 2
    engine = start(three_calls(model), runs)
    until(lambda: engine.outcome(identity) is not None)
    assert runs.outcomes == {identity: JobOutcome(State.GREEN, "0 1 2")}
    assert model.calls == 3


def test_stops_in_good_order_do_not_add_up(start: Start) -> None:
    entered: list[int] = []

    def run(_job: Job, wrap: Wrap) -> JobOutcome:
        wrapped = wrap(ports())
        entered.append(1)
        while len(entered) < 2 * MAX_STARTS:
            time.sleep(0.02)
            if stopping.is_set():
                wrapped.clock.now()
        return OUTCOME

    runs, stopping = FakeRuns(), threading.Event()
    for number in range(1, 2 * MAX_STARTS):
        stopping.clear()
        engine = start(run, runs)
        identity = engine.enqueue(fix_issue())
        until(lambda: len(entered) == number)  # noqa: B023 - used before the next round
        threading.Timer(0.1, stopping.set).start()
        assert engine.close()
    engine = start(run, runs)
    until(lambda: engine.outcome(identity) is not None)
    assert runs.outcomes == {identity: OUTCOME}


def test_it_is_told_when_a_job_starts_and_how_it_ends(start: Start) -> None:
    with capture_logs() as logs:
        engine = start(lambda _job, _wrap: OUTCOME, FakeRuns())
        identity = engine.enqueue(fix_issue())
        until(lambda: any(line["event"] == "job_ended" for line in logs))
    told = [(line["event"], line["job"]) for line in logs if line["event"].startswith("job_")]
    assert told == [("job_started", identity), ("job_ended", identity)]


def test_a_step_that_does_not_end_in_time_is_told_to_the_caller(start: Start) -> None:
    model = GatedModel()
    engine = start(three_calls(model), FakeRuns())
    engine.enqueue(fix_issue())
    until(lambda: model.calls == 2)
    assert not engine.close(grace=0.1)
    model.gate.set()


@pytest.mark.parametrize("fails", [False, True])
def test_however_a_step_ends_that_was_given_up_its_job_is_not_over(start: Start, *, fails: bool) -> None:
    gate, entered, ended = threading.Event(), threading.Event(), threading.Event()

    class Removed(GatedModel):
        def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
            entered.set()
            assert gate.wait(30)
            if fails:
                raise ModelError("It was removed", "Try again.")
            return super().complete(messages, limits)

    def run(job: Job, wrap: Wrap) -> JobOutcome:
        try:
            return three_calls(model)(job, wrap)
        finally:
            ended.set()

    model, runs = Removed(), FakeRuns()
    model.gate.set()
    engine = start(run, runs)
    engine.enqueue(fix_issue())
    assert entered.wait(30)
    assert not engine.close(grace=0.1)
    gate.set()
    assert ended.wait(30)
    time.sleep(0.1)
    assert runs.outcomes == {}


def test_other_repositories_go_on_while_one_is_busy(start: Start) -> None:
    gate = threading.Event()

    def run(job: Job, _wrap: Wrap) -> JobOutcome:
        if job.repository == "octo/slow":
            assert gate.wait(30)
        return OUTCOME

    engine = start(run, FakeRuns())
    slow = [engine.enqueue(fix_issue(number, "octo/slow")) for number in (1, 2)]
    quick = engine.enqueue(fix_issue(1, "octo/quick"))
    until(lambda: engine.outcome(quick) is not None)
    assert [engine.outcome(identity) for identity in slow] == [None, None]
    gate.set()
    until(lambda: all(engine.outcome(identity) for identity in slow))


def test_a_job_that_raises_ends_in_a_recorded_failure(start: Start) -> None:
    def run(job: Job, _wrap: Wrap) -> JobOutcome:
        if job.repository == "octo/known":
            raise ModelError("The model is down", "Start it.")
        raise KeyError(job.repository)

    runs = FakeRuns()
    engine = start(run, runs)
    known, fault = engine.enqueue(fix_issue(1, "octo/known")), engine.enqueue(fix_issue(1, "octo/fault"))
    until(lambda: len(runs.outcomes) == 2)
    assert runs.outcomes[known] == JobOutcome(State.FAILED, "Could not finish: The model is down", "ModelError")
    assert runs.outcomes[fault] == JobOutcome(State.FAILED, "A fault in Regreen: KeyError", "fault")
    until(lambda: engine.outcome(fault) == runs.outcomes[fault])


def test_a_second_worker_in_the_same_directory_is_refused(start: Start, tmp_path: Path) -> None:
    start(lambda _job, _wrap: OUTCOME, FakeRuns())
    second = DurableEngine(DurableSettings(tmp_path), lambda _j, _w: OUTCOME, FakeRuns(), FileArtifacts(tmp_path))
    with pytest.raises(ConfigurationError, match="one worker"):
        second.start()


def test_everything_recorded_is_portable_json(start: Start, tmp_path: Path) -> None:
    engine = start(three_calls(EchoModel()), FakeRuns())
    identity = engine.enqueue(fix_issue())
    until(lambda: engine.outcome(identity) is not None)
    with closing(sqlite3.connect(tmp_path / "engine.sqlite")) as connection:
        steps = connection.execute("SELECT serialization, output FROM operation_outputs").fetchall()
        jobs = connection.execute(
            "SELECT serialization, application_version, executor_id FROM workflow_status"
        ).fetchall()
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    assert {kind for kind, _ in steps} == {"portable_json"}
    assert len(steps) == 3
    assert not any(str(tmp_path) in output for _, output in steps)
    assert jobs == [("portable_json", APPLICATION_VERSION, "worker")]
    assert mode == "wal"


def test_a_job_of_an_earlier_version_ends_and_blocks_its_repository_no_more(start: Start, tmp_path: Path) -> None:
    entered, gate, runs = threading.Event(), threading.Event(), FakeRuns()

    def run(_job: Job, _wrap: Wrap) -> JobOutcome:
        entered.set()
        assert gate.wait(60)
        return OUTCOME

    engine = start(run, runs)
    begun, queued = engine.enqueue(fix_issue(1)), engine.enqueue(fix_issue(2))
    assert entered.wait(30)
    assert not engine.close(grace=0.1)
    with closing(sqlite3.connect(tmp_path / "engine.sqlite")) as connection, connection:
        connection.execute("UPDATE workflow_status SET application_version = 'older'")
    engine = start(lambda _job, _wrap: OUTCOME, runs)
    assert [engine.outcome(identity) for identity in (begun, queued)] == [runs.outcomes[begun], runs.outcomes[queued]]
    assert {outcome.stop for outcome in runs.outcomes.values()} == {"Updated"}
    third = engine.enqueue(fix_issue(3))
    until(lambda: engine.outcome(third) == OUTCOME)
    gate.set()


def test_rows_that_a_killed_worker_left_open_are_ended_or_forgotten_at_the_next_start(start: Start) -> None:
    runs = FakeRuns()
    engine = start(lambda _job, _wrap: OUTCOME, runs)
    ended = engine.enqueue(fix_issue(1))
    until(lambda: engine.outcome(ended) is not None)
    assert engine.close()
    runs.outcomes.clear()
    for job in (fix_issue(1), fix_issue(2)):
        runs.started(job_id(job), job)
    start(lambda _job, _wrap: OUTCOME, runs)
    assert runs.outcomes == {ended: OUTCOME}
    assert list(runs.jobs) == [ended]


def test_what_an_earlier_release_had_queued_has_its_turn_in_order(start: Start, tmp_path: Path) -> None:
    entered, gate, order = threading.Event(), threading.Event(), list[str]()

    def hold(_job: Job, wrap: Wrap) -> JobOutcome:
        entered.set()
        assert gate.wait(60)
        wrap(ports()).clock.now()
        return OUTCOME

    def note(job: Job, _wrap: Wrap) -> JobOutcome:
        order.append(job_id(job))
        return OUTCOME

    runs = FakeRuns()
    engine = start(hold, runs)
    jobs = [engine.enqueue(fix_issue(number)) for number in (3, 2, 1)]
    assert entered.wait(30)
    assert not engine.close(grace=0.1)
    earlier = "UPDATE workflow_status SET queue_name = 'fixes', queue_partition_key = 'octo/fizz', priority = 0"
    with closing(sqlite3.connect(tmp_path / "engine.sqlite")) as connection, connection:
        connection.execute(earlier)
        connection.execute("UPDATE queues SET partition_concurrency = 1")
    gate.set()
    engine = start(note, runs)
    until(lambda: all(engine.outcome(identity) == OUTCOME for identity in jobs))
    assert order == jobs


def test_the_backlog_of_one_worker_is_not_passed_for_ever_within_its_repository(start: Start, tmp_path: Path) -> None:
    gate, runs = threading.Event(), FakeRuns()

    def hold(_job: Job, _wrap: Wrap) -> JobOutcome:
        assert gate.wait(60)
        return OUTCOME

    engine = start(hold, runs)
    jobs = [engine.enqueue(fix_issue(1))]
    until(lambda: bool(runs.workers))
    jobs += [engine.enqueue(fix_issue(2)), engine.enqueue(fix_check())]
    with closing(sqlite3.connect(tmp_path / "engine.sqlite")) as connection, connection:
        waited = (round(1_500 * PATIENCE), jobs[1])
        connection.execute("UPDATE workflow_status SET created_at = created_at - ? WHERE workflow_uuid = ?", waited)
    gate.set()
    until(lambda: all(engine.outcome(identity) == OUTCOME for identity in jobs))
    assert list(runs.workers) == jobs
