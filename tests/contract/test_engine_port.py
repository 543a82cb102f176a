"""What every job engine does. Each is driven through the same small job."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_store import FakeRuns, fix_check, fix_issue

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.store import migrate
from bot.engine.durable import DurableEngine, DurableSettings
from bot.engine.inline import InlineEngine
from bot.jobs import Job, JobEngine, JobOutcome, State, job_id
from bot.wiring.engine import build_fleet

OUTCOME = JobOutcome(State.GREEN, "Nothing to fix")
STOPPED = JobOutcome(State.CANCELLED, "Stopped by maintainer")
PATIENCE = 30.0

RunJob = Callable[[Job], JobOutcome]
Start = Callable[[RunJob], JobEngine]


@pytest.fixture(params=["inline", "durable", "shared"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    opened: list[DurableEngine] = []

    def make(run_job: RunJob) -> JobEngine:
        if request.param == "inline":
            return InlineEngine(run_job)
        settings, fleet = DurableSettings(tmp_path), None
        if request.param == "shared":
            url: str = request.getfixturevalue("postgres")
            migrate(url)
            settings, fleet = DurableSettings(tmp_path, url=url), build_fleet(url, settings.lease)
        artifacts = FileArtifacts(tmp_path / "a")
        engine = DurableEngine(settings, lambda job, _wrap: run_job(job), FakeRuns(), artifacts, fleet=fleet)
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


def test_a_job_that_is_cancelled_while_it_runs_ends_cancelled_whatever_it_comes_to(start: Start) -> None:
    entered, gate = threading.Event(), threading.Event()

    def run(_job: Job) -> JobOutcome:
        entered.set()
        assert gate.wait(PATIENCE)
        return OUTCOME

    engine = start(run)
    job = fix_issue()
    with ThreadPoolExecutor(1) as pool:
        queued = pool.submit(engine.enqueue, job)
        assert entered.wait(PATIENCE)
        assert engine.cancel(job_id(job), STOPPED)
        assert engine.cancel(job_id(job), replace(STOPPED, headline="Stopped again"))
        assert engine.outcome(job_id(job)) == STOPPED
        gate.set()
        assert queued.result() == job_id(job)
    engine.enqueue(job)
    assert ended(engine, engine.enqueue(fix_issue(8))) == OUTCOME
    assert engine.outcome(job_id(job)) == STOPPED


def test_a_job_that_ended_stays_as_it_ended(start: Start) -> None:
    engine = start(lambda _job: OUTCOME)
    identity = engine.enqueue(fix_issue())
    ended(engine, identity)
    assert engine.cancel(identity, STOPPED)
    assert engine.outcome(identity) == OUTCOME


def test_a_job_that_nobody_knows_is_not_cancelled_into_being(start: Start) -> None:
    engine = start(lambda _job: OUTCOME)
    assert engine.cancel("nobody/knows:issue-1:it", STOPPED)
    assert engine.outcome("nobody/knows:issue-1:it") is None


def test_a_queued_job_is_known_by_its_id(start: Start) -> None:
    engine = start(lambda _job: OUTCOME)
    identity = engine.enqueue(fix_issue())
    assert engine.job(identity) == fix_issue()
    assert engine.job("nobody/knows:issue-1:it") is None
