"""What every job engine does. Each is driven through the same small job."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes_store import FakeRuns, fix_check, fix_issue

from bot.adapters.artifacts import FileArtifacts
from bot.engine.durable import DurableEngine, DurableSettings
from bot.engine.inline import InlineEngine
from bot.jobs import Job, JobEngine, JobOutcome, State, job_id

OUTCOME = JobOutcome(State.GREEN, "Nothing to fix")
PATIENCE = 30.0

RunJob = Callable[[Job], JobOutcome]
Start = Callable[[RunJob], JobEngine]


@pytest.fixture(params=["inline", "durable"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    opened: list[DurableEngine] = []

    def make(run_job: RunJob) -> JobEngine:
        if request.param == "inline":
            return InlineEngine(run_job)
        settings = DurableSettings(tmp_path)
        engine = DurableEngine(settings, lambda job, _wrap: run_job(job), FakeRuns(), FileArtifacts(tmp_path / "a"))
        engine.start()
        opened.append(engine)
        return engine

    yield make
    for engine in opened:
        assert engine.close()


def ended(engine: JobEngine, identity: str) -> JobOutcome:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        outcome = engine.outcome(identity)
        if outcome is not None:
            return outcome
        time.sleep(0.02)
    pytest.fail(f"{identity} did not end")


def test_a_job_runs_with_what_it_was_queued_with_and_ends_in_its_outcome(start: Start) -> None:
    seen: list[Job] = []

    def run(job: Job) -> JobOutcome:
        seen.append(job)
        return OUTCOME

    engine = start(run)
    jobs = (fix_issue(), fix_check())
    identities = [engine.enqueue(job) for job in jobs]
    assert identities == [job_id(job) for job in jobs]
    assert [ended(engine, identity) for identity in identities] == [OUTCOME, OUTCOME]
    assert sorted(map(repr, seen)) == sorted(map(repr, jobs))


def test_the_same_job_queued_again_runs_once(start: Start) -> None:
    seen: list[Job] = []

    def run(job: Job) -> JobOutcome:
        seen.append(job)
        return OUTCOME

    engine = start(run)
    identity = engine.enqueue(fix_issue())
    engine.enqueue(fix_issue())
    ended(engine, identity)
    engine.enqueue(fix_issue())
    ended(engine, engine.enqueue(fix_issue(8)))
    assert len(seen) == 2


def test_an_unknown_job_has_no_outcome(start: Start) -> None:
    assert start(lambda _job: OUTCOME).outcome("nobody/knows:issue-1:it") is None


def test_jobs_of_one_repository_never_overlap(start: Start) -> None:
    inside: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def run(_job: Job) -> JobOutcome:
        with lock:
            inside.append(1)
            most.append(len(inside))
        time.sleep(0.05)
        with lock:
            inside.pop()
        return OUTCOME

    engine = start(run)
    identities = [engine.enqueue(fix_issue(number)) for number in range(1, 5)]
    assert [ended(engine, identity) for identity in identities] == [OUTCOME] * 4
    assert max(most) == 1
