"""The durable engine on Postgres with one worker; what several do is shown in `test_crew.py`."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from fakes_ports import EchoModel, ports
from fakes_store import FakeRuns, fix_issue
from opened_engines import opening, until

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.store import migrate
from bot.engine.durable import APPLICATION_VERSION, DurableEngine, DurableSettings, RunJob, Wrap
from bot.jobs import Job, JobOutcome, State
from bot.repair.team.roles import Models
from bot.repair.types import CompletionLimits, Message
from bot.wiring.engine import build_fleet
from bot.wiring.health import LOOPS, SHARED

OUTCOME = JobOutcome(State.GREEN, "Nothing to fix")
Start = Callable[[RunJob, FakeRuns], DurableEngine]


@pytest.fixture
def start(tmp_path: Path, postgres: str) -> Iterator[Start]:
    migrate(postgres)
    with opening() as opened:

        def make(run_job: RunJob, runs: FakeRuns) -> DurableEngine:
            settings, artifacts = DurableSettings(tmp_path, url=postgres), FileArtifacts(tmp_path / "artifacts")
            return opened(
                DurableEngine(settings, run_job, runs, artifacts, fleet=build_fleet(postgres, settings.lease))
            )

        yield make


def one_call(_job: Job, wrap: Wrap) -> JobOutcome:
    coder = wrap(ports(models=Models(coder=EchoModel()))).models.coder
    assert coder is not None
    return JobOutcome(State.GREEN, coder.complete((Message("user", "so"),), CompletionLimits()).text)


def test_a_job_and_its_steps_are_recorded_in_the_shared_database(start: Start, postgres: str) -> None:
    runs = FakeRuns()
    engine = start(one_call, runs)
    identity = engine.enqueue(fix_issue())
    until(lambda: engine.outcome(identity) is not None)
    assert runs.outcomes == {identity: JobOutcome(State.GREEN, "so")}
    assert engine.job(identity) == fix_issue()
    database = sa.create_engine(postgres)
    with database.connect() as connection:
        steps = connection.execute(sa.text("SELECT serialization FROM dbos.operation_outputs")).scalars().all()
        (job,) = connection.execute(sa.text("SELECT application_version, executor_id FROM dbos.workflow_status"))
    database.dispose()
    assert steps == ["portable_json"]
    assert tuple(job) == (APPLICATION_VERSION, engine.executor)


def test_each_start_has_an_executor_id_of_its_own(start: Start) -> None:
    first = start(lambda _job, _wrap: OUTCOME, FakeRuns())
    was = first.executor
    assert first.close()
    assert start(lambda _job, _wrap: OUTCOME, FakeRuns()).executor != was


def test_jobs_of_one_repository_run_one_after_the_other(start: Start) -> None:
    inside: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def run(_job: Job, _wrap: Wrap) -> JobOutcome:
        with lock:
            inside.append(1)
            most.append(len(inside))
        time.sleep(0.05)
        with lock:
            inside.pop()
        return OUTCOME

    engine = start(run, FakeRuns())
    identities = [engine.enqueue(fix_issue(number)) for number in range(1, 5)]
    until(lambda: all(engine.outcome(identity) == OUTCOME for identity in identities))
    assert max(most) == 1


def test_each_of_its_rounds_is_told_and_watched(tmp_path: Path, postgres: str) -> None:
    migrate(postgres)
    told: set[tuple[str, bool]] = set()
    settings = DurableSettings(tmp_path, url=postgres, told=lambda name, good: told.add((name, good)))
    artifacts, fleet = FileArtifacts(tmp_path / "artifacts"), build_fleet(postgres, settings.lease)
    with DurableEngine(settings, one_call, FakeRuns(), artifacts, fleet=fleet):
        until(lambda: len({name for name, good in told if good}) == len(SHARED) + 2)
    assert set(SHARED) == {name for name, _ in told} - set(LOOPS)
