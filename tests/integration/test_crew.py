"""Workers on one Postgres: what each takes, and that no job is in two pairs of hands. tests/chaos kills real ones."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import opened_engines
import pytest
import sqlalchemy as sa
from fakes_ports import EchoModel, ports
from fakes_store import FakeRuns, fix_check, fix_issue

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.store import SqlFleet, connect, migrate
from bot.engine.durable import DurableEngine, DurableSettings, RunJob, Wrap
from bot.engine.endings import Endings
from bot.engine.line import queue_of
from bot.engine.turns import Limits
from bot.errors import StoreError
from bot.jobs import Job, JobOutcome, State, job_id
from bot.pipeline.ports.fleet import Member
from bot.repair.team.roles import Models
from bot.repair.types import Completion, CompletionLimits, Message
from bot.wiring.engine import build_fleet

OUTCOME = JobOutcome(State.GREEN, "Nothing to fix")
STOPPED = JobOutcome(State.CANCELLED, "Stopped by maintainer")
OTHER = Member("other-1-aa", "other", 1, "3", 4, 60.0)
MORTAL = Member("other-2-bb", "other", 2, "3", 4, 2.0)
LEASE = 20.0
PATIENCE = 60.0
until = partial(opened_engines.until, seconds=PATIENCE)


@dataclass
class Site:
    """One database, and the engine of this process over it."""

    directory: Path
    url: str
    database: sa.Engine
    runs: FakeRuns = field(default_factory=FakeRuns)
    killed: list[str] = field(default_factory=list)
    failed: list[JobOutcome] = field(default_factory=list)
    opened: list[DurableEngine] = field(default_factory=list)

    @property
    def fleet(self) -> SqlFleet:
        return SqlFleet(self.database)

    def start(self, run_job: RunJob, slots: int = 2, *, limits: Limits | None = None) -> DurableEngine:
        settings = DurableSettings(self.directory, slots, self.url, limits or Limits(), LEASE)
        artifacts = FileArtifacts(self.directory / "artifacts")
        endings = Endings(kill=self.killed.append, fail=lambda _, outcome: self.failed.append(outcome))
        fleet = build_fleet(self.url, LEASE)
        engine = DurableEngine(settings, run_job, self.runs, artifacts, endings, fleet)
        engine.start()
        self.opened.append(engine)
        return engine

    def do(self, statement: str, **values: object) -> int:
        with self.database.begin() as connection:
            return connection.execute(sa.text(statement), values).rowcount

    def give_to_another(self, identity: str, member: Member) -> None:
        """As if another worker had taken a job that waits, and begun it."""
        self.do(
            "UPDATE dbos.workflow_status SET queue_name = :queue, status = 'PENDING', executor_id = :executor, "
            "owner_xid = 'theirs', recovery_attempts = 1 WHERE workflow_uuid = :identity",
            queue=queue_of(member.executor),
            executor=member.executor,
            identity=identity,
        )


@pytest.fixture
def site(tmp_path: Path, postgres: str) -> Iterator[Site]:
    migrate(postgres)
    made = Site(tmp_path, postgres, connect(postgres))
    yield made
    for engine in made.opened:
        engine.close()
    made.database.dispose()


@dataclass
class Held:
    """Jobs that begin, and wait in a model's answer until they are let go."""

    begun: list[str] = field(default_factory=list)
    unwound: list[str] = field(default_factory=list)
    calls: int = 0
    gate: threading.Event = field(default_factory=threading.Event)

    def __call__(self, job: Job, wrap: Wrap) -> JobOutcome:
        self.begun.append(job_id(job))
        coder = wrap(ports(models=Models(coder=_HeldModel(self)))).models.coder
        assert coder is not None
        try:
            for _ in range(2):
                coder.complete((Message("user", "go on"),), CompletionLimits())
        finally:
            self.unwound.append(job_id(job))
        return OUTCOME


class _HeldModel(EchoModel):
    def __init__(self, held: Held) -> None:
        super().__init__()
        self.held = held

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        self.held.calls += 1
        assert self.held.gate.wait(PATIENCE)
        return super().complete(messages, limits)


def test_a_worker_that_may_not_beat_any_more_stops_by_itself_and_records_nothing(site: Site) -> None:
    held = Held()
    engine = site.start(held)
    identity = engine.enqueue(fix_issue())
    until(lambda: held.calls == 1)
    site.do("DELETE FROM workers")
    assert engine.lost.wait(PATIENCE)
    assert site.killed == [identity]
    held.gate.set()
    until(lambda: held.unwound == [identity])
    assert held.calls == 1
    assert site.runs.outcomes == {}
    assert site.do("DELETE FROM dbos.operation_outputs") == 0


def test_what_breaks_a_job_after_the_lease_is_over_ends_it_nowhere(site: Site) -> None:
    entered, gate, left = threading.Event(), threading.Event(), threading.Event()

    def run(_job: Job, _wrap: Wrap) -> JobOutcome:
        entered.set()
        assert gate.wait(PATIENCE)
        left.set()
        raise StoreError("The database was away", "Wait.")

    engine = site.start(run)
    engine.enqueue(fix_issue())
    assert entered.wait(PATIENCE)
    site.do("DELETE FROM workers")
    assert engine.lost.wait(PATIENCE)
    gate.set()
    assert left.wait(PATIENCE)
    time.sleep(0.2)
    assert (site.runs.outcomes, site.failed) == ({}, [])


def test_the_jobs_of_a_worker_whose_lease_is_over_are_gone_on_with_and_those_of_the_living_are_not(site: Site) -> None:
    engine = site.start(lambda _job, _wrap: OUTCOME)
    theirs = {member: fix_issue(1, f"octo/{member.pid}") for member in (OTHER, MORTAL)}
    for member, job in theirs.items():
        site.fleet.enlist(member)
        assert site.fleet.beat(member.executor, {job_id(job): False})
        engine.enqueue(job)
        site.give_to_another(job_id(job), member)
    until(lambda: engine.outcome(job_id(theirs[MORTAL])) == OUTCOME)
    assert {worker.member.executor for worker in site.fleet.workers()} == {OTHER.executor, engine.executor}
    assert engine.outcome(job_id(theirs[OTHER])) is None
    assert site.runs.workers == {job_id(theirs[MORTAL]): engine.executor}


def test_one_repository_with_many_jobs_starves_no_other(site: Site) -> None:
    order: list[str] = []
    gate = threading.Event()

    def run(job: Job, _wrap: Wrap) -> JobOutcome:
        assert gate.wait(PATIENCE)
        order.append(job.repository)
        return OUTCOME

    engine = site.start(run, slots=1)
    flood = [engine.enqueue(fix_issue(number, "octo/flood")) for number in range(8)]
    others = [engine.enqueue(fix_issue(1, f"octo/{name}")) for name in "xyz"]
    gate.set()
    until(lambda: all(engine.outcome(identity) for identity in (*flood, *others)))
    assert set(order[:4]) == {"octo/flood", "octo/x", "octo/y", "octo/z"}


def test_within_a_repository_jobs_begin_in_order_and_red_ci_before_the_backlog(site: Site) -> None:
    engine = site.start(lambda _job, _wrap: OUTCOME, limits=Limits(jobs=1))
    blocker = fix_issue(99, "octo/blocker")
    site.fleet.enlist(OTHER)
    assert site.fleet.beat(OTHER.executor, {job_id(blocker): False})
    jobs = [fix_issue(1), fix_issue(2), fix_check()]
    for job in jobs:
        engine.enqueue(job)
    time.sleep(0.5)
    assert site.runs.workers == {}
    site.fleet.leave(OTHER.executor)
    until(lambda: all(engine.outcome(job_id(job)) for job in jobs))
    assert list(site.runs.workers) == [job_id(job) for job in (jobs[2], jobs[0], jobs[1])]


def test_a_job_cancelled_by_another_worker_unwinds_here_and_what_it_runs_is_killed(site: Site) -> None:
    held = Held()
    engine = site.start(held)
    identity = engine.enqueue(fix_issue())
    until(lambda: held.calls == 1)
    site.runs.ended(identity, STOPPED)
    site.do("UPDATE dbos.workflow_status SET status = 'CANCELLED', queue_name = NULL, owner_xid = NULL")
    until(lambda: site.killed == [identity])
    until(lambda: site.fleet.workers()[0].jobs == {identity: True})
    held.gate.set()
    until(lambda: held.unwound == [identity])
    assert (held.calls, engine.outcome(identity)) == (1, STOPPED)
    until(lambda: not site.fleet.workers()[0].jobs)


def test_a_cancelled_job_is_not_over_while_another_worker_has_a_step_of_it_under_way(site: Site) -> None:
    engine = site.start(lambda _job, _wrap: OUTCOME, limits=Limits(jobs=1))
    site.fleet.enlist(OTHER)
    identity = job_id(fix_issue())
    assert site.fleet.beat(OTHER.executor, {identity: False})
    engine.enqueue(fix_issue())
    assert not engine.cancel(identity, STOPPED)
    next_one = engine.enqueue(fix_issue(8))
    time.sleep(0.5)
    assert engine.outcome(next_one) is None
    assert site.fleet.beat(OTHER.executor, {identity: True})
    assert engine.cancel(identity, STOPPED)
    assert site.fleet.beat(OTHER.executor, {})
    until(lambda: engine.outcome(next_one) == OUTCOME)
    assert engine.outcome(identity) == STOPPED


def test_a_worker_that_drains_hands_its_jobs_over_at_once(site: Site) -> None:
    held = Held()
    first = site.start(held)
    identity = first.enqueue(fix_issue())
    until(lambda: held.calls == 1)
    threading.Timer(0.2, held.gate.set).start()
    assert first.close()
    assert site.fleet.workers() == ()
    assert site.do("UPDATE dbos.queues SET name = name") == 0
    second = site.start(held)
    until(lambda: second.outcome(identity) == OUTCOME)
    assert held.calls == 2
    assert site.runs.workers == {identity: second.executor}


def test_a_claim_that_nobody_works_on_waits_again(site: Site) -> None:
    engine = site.start(lambda _job, _wrap: OUTCOME, limits=Limits(jobs=1))
    site.fleet.enlist(OTHER)
    blocker, job = fix_issue(99, "octo/blocker"), fix_issue()
    assert site.fleet.beat(OTHER.executor, {job_id(blocker): False})
    identity = engine.enqueue(job)
    claimed = "UPDATE dbos.workflow_status SET status = 'PENDING', queue_name = :queue, executor_id = :executor"
    site.do(claimed, queue=queue_of(engine.executor), executor=engine.executor)
    site.fleet.leave(OTHER.executor)
    until(lambda: engine.outcome(identity) == OUTCOME)
