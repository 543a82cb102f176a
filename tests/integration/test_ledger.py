"""`SqlLedger` on SQLite and on Postgres."""

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from fakes_store import FakeTime, fix_issue
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.store import SqlLedger, SqlRuns, connect, migrate
from bot.errors import StoreError
from bot.jobs import JobOutcome, State, job_id
from bot.pipeline.spending.ledger import DAY, Account, Allowance, Grant

HERE = Account(5, "1", "issue-7")
ALLOWED = Allowance(run=2.0, pull_request=5.0, repository_day=8.0, installation_day=10.0, attempts=3)
MANY = Allowance(run=0.5, pull_request=100.0, repository_day=100.0, installation_day=4.0, attempts=100)
LOTS = Allowance(run=0.25, pull_request=9e6, repository_day=9e6, installation_day=9e6, attempts=100)
WORKERS, EACH = 4, 5
REPOSITORIES = count(100)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database, brought up to date."""
    made = f"sqlite:///{tmp_path / 'regreen.sqlite'}" if request.param == "sqlite" else ""
    made = made or request.getfixturevalue("postgres")
    migrate(made)
    return made


@pytest.fixture
def clock() -> FakeTime:
    return FakeTime(1_000_000.0)


@pytest.fixture
def ledger(url: str, clock: FakeTime) -> Iterator[SqlLedger]:
    engine = connect(url)
    yield SqlLedger(engine, clock)
    engine.dispose()


def test_a_grant_is_the_smallest_of_what_is_left(ledger: SqlLedger) -> None:
    assert ledger.reserve("a", HERE, ALLOWED) == Grant(2.0, 1)
    ledger.settle("a", 3.5)
    assert ledger.reserve("b", HERE, ALLOWED) == Grant(1.5, 2)


def test_what_is_held_counts_as_spent_until_it_is_settled(ledger: SqlLedger) -> None:
    ledger.reserve("a", HERE, ALLOWED)
    assert ledger.left(HERE, ALLOWED).pull_request == 2.0
    ledger.settle("a", 0.25)
    assert ledger.left(HERE, ALLOWED).pull_request == 0.25


def test_a_replay_gets_the_same_grant_and_counts_no_second_attempt(ledger: SqlLedger) -> None:
    first = ledger.reserve("a", HERE, ALLOWED)
    ledger.settle("a", 5.0)
    assert ledger.reserve("a", HERE, ALLOWED) == first
    assert ledger.left(HERE, ALLOWED).attempts == 1


def test_settling_again_changes_nothing_and_the_highest_amount_stands(ledger: SqlLedger) -> None:
    ledger.reserve("a", HERE, ALLOWED)
    for dollars in (0.5, 0.5, 0.25, -1.0):
        ledger.settle("a", dollars)
    assert ledger.left(HERE, ALLOWED).pull_request == 0.5


@pytest.mark.parametrize("dollars", [float("nan"), float("inf")])
def test_an_amount_that_is_none_leaves_the_grant_spent(ledger: SqlLedger, dollars: float) -> None:
    ledger.reserve("a", HERE, ALLOWED)
    ledger.settle("a", dollars)
    assert ledger.left(HERE, ALLOWED).pull_request == 2.0
    ledger.settle("a", 0.0)
    assert ledger.left(HERE, ALLOWED).pull_request == 2.0


def test_charges_add_up_and_stay_when_the_job_settles(ledger: SqlLedger) -> None:
    ledger.reserve("a", HERE, ALLOWED)
    ledger.charge("a", "one", 0.25)
    ledger.charge("a", "two", 0.5)
    assert ledger.left(HERE, ALLOWED).pull_request == 2.0
    ledger.settle("a", 0.5)
    assert ledger.left(HERE, ALLOWED).pull_request == 0.75


def test_what_was_charged_beyond_the_grant_counts_at_once(ledger: SqlLedger) -> None:
    ledger.reserve("a", HERE, ALLOWED)
    ledger.charge("a", "one", 2.25)
    assert ledger.left(HERE, ALLOWED).pull_request == 2.25


def test_a_charge_that_is_sent_again_counts_once_and_at_another_price_is_refused(ledger: SqlLedger) -> None:
    for job in ("a", "b"):
        ledger.reserve(job, HERE, MANY)
        for _ in range(2):
            ledger.charge(job, "one", 0.75)
    assert ledger.left(HERE, MANY).pull_request == 1.5
    for dollars in (0.5, float("nan")):
        with pytest.raises(StoreError, match=r"The call one of a was charged \$0.75 and cannot cost \$0.5 as well"):
            ledger.charge("a", "one", dollars)
    assert ledger.left(HERE, MANY).pull_request == 1.5


def test_a_job_that_reserved_nothing_is_charged_nothing_and_may_reserve_later(ledger: SqlLedger) -> None:
    ledger.charge("a", "one", 0.75)
    ledger.reserve("a", HERE, MANY)
    ledger.charge("a", "one", 0.75)
    assert ledger.left(HERE, MANY).pull_request == 0.75


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(0, 3)), max_size=8))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_sent_again_each_call_costs_what_was_said_first(
    ledger: SqlLedger, sent: list[tuple[str, str, int]]
) -> None:
    here = Account(5, str(next(REPOSITORIES)), "issue-7")
    first: dict[tuple[str, str], int] = {}
    for job, call, quarters in sent:
        name = f"{here.repository} {job}"
        ledger.reserve(name, here, LOTS)
        same = first.setdefault((job, call), quarters) == quarters
        with nullcontext() if same else pytest.raises(StoreError, match="as well"):
            ledger.charge(name, call, quarters / 4)
    for job in "abc":
        ledger.settle(f"{here.repository} {job}", 0.0)
    assert ledger.left(here, LOTS).pull_request == sum(first.values()) / 4


def test_jobs_that_ended_without_settling_are_told_oldest_first(ledger: SqlLedger, clock: FakeTime) -> None:
    runs = SqlRuns(ledger.engine)
    jobs = [replace(fix_issue(), issue=number) for number in (2, 1, 3, 4)]
    for job in jobs:
        runs.started(job_id(job), job)
        ledger.reserve(job_id(job), HERE, MANY)
        clock.seconds += 1
    for job in jobs[:3]:
        runs.ended(job_id(job), JobOutcome(State.CANCELLED, "stopped"))
    ledger.settle(job_id(jobs[1]), 0.0)
    assert ledger.forgotten() == (job_id(jobs[0]), job_id(jobs[2]))


def test_settling_what_was_never_reserved_makes_nothing(ledger: SqlLedger) -> None:
    ledger.settle("nobody", 5.0)
    assert ledger.left(HERE, ALLOWED).installation_day == 0.0


@pytest.mark.parametrize(
    ("account", "limits", "said"),
    [
        (HERE, (10.0, 90.0, 90.0), "this issue or pull request"),
        (Account(5, "1", "issue-8"), (90.0, 10.0, 90.0), "this repository within 24 hours"),
        (Account(5, "2", "issue-7"), (90.0, 90.0, 10.0), "the whole installation within 24 hours"),
    ],
)
def test_a_used_up_budget_refuses_with_its_reason_and_holds_nothing(
    ledger: SqlLedger, account: Account, limits: tuple[float, float, float], said: str
) -> None:
    ledger.reserve("a", HERE, Allowance(10.0, 10.0, 10.0, 10.0, attempts=9))
    refused = ledger.reserve("b", account, Allowance(2.0, *limits, attempts=9))
    assert refused.shortage is not None
    assert said in refused.shortage.said()[0]
    assert "$10.00 of $10.00" in refused.shortage.said()[0]
    assert ledger.left(HERE, ALLOWED).installation_day == 10.0
    assert _rows(ledger.engine) == ["a"]


def test_an_installation_pays_for_no_other(ledger: SqlLedger) -> None:
    ledger.reserve("a", HERE, ALLOWED)
    assert ledger.left(Account(6, "1", "issue-7"), ALLOWED).installation_day == 0.0


def test_days_pass_and_an_issue_keeps_what_it_cost(ledger: SqlLedger, clock: FakeTime) -> None:
    ledger.reserve("a", HERE, ALLOWED)
    ledger.settle("a", 2.0)
    clock.seconds += DAY + 1
    left = ledger.left(HERE, ALLOWED)
    assert (left.pull_request, left.repository_day, left.installation_day, left.attempts) == (2.0, 0.0, 0.0, 1)


def test_a_branch_whose_checks_turn_red_again_later_begins_anew(ledger: SqlLedger, clock: FakeTime) -> None:
    branch = Account(5, "1", "check-main")
    for number in range(3):
        ledger.reserve(f"red-{number}", branch, ALLOWED)
        ledger.settle(f"red-{number}", 0.1)
    assert ledger.reserve("red-4", branch, ALLOWED).shortage is not None
    clock.seconds += DAY + 1
    assert ledger.reserve("red-5", branch, ALLOWED) == Grant(2.0, 1)


def test_label_check_and_review_share_one_counter_that_only_a_higher_limit_passes(ledger: SqlLedger) -> None:
    for name in ("label", "check", "review"):
        ledger.reserve(name, HERE, ALLOWED)
        ledger.settle(name, 0.0)
    refused = ledger.reserve("another", HERE, ALLOWED)
    assert refused.shortage is not None
    assert "3 runs were made" in refused.shortage.said()[0]
    again = Allowance(2.0, 5.0, 8.0, 10.0, attempts=6)
    assert ledger.reserve("a person's", HERE, again) == Grant(2.0, 4)


def test_runs_that_cost_nothing_need_no_money(ledger: SqlLedger) -> None:
    free = Allowance(run=0.0, pull_request=0.0, repository_day=0.0, installation_day=0.0, attempts=3)
    assert ledger.reserve("a", HERE, free) == Grant(0.0, 1)


def _rows(engine: sa.Engine) -> list[str]:
    with engine.connect() as connection:
        return sorted(connection.execute(sa.text("SELECT identity FROM spends")).scalars())


def _reserve(url: str, worker: int, ready: object) -> None:
    engine = connect(url)
    ledger = SqlLedger(engine)
    ready.wait()  # type: ignore[attr-defined]  # a barrier of multiprocessing has no public type
    for number in range(EACH):
        ledger.reserve(f"{worker}-{number}", Account(5, str(worker), f"issue-{number}"), MANY)
        ledger.reserve(f"same-{number}", Account(5, "1", "issue-1"), MANY)
    engine.dispose()


def test_workers_that_reserve_at_once_never_grant_more_than_there_is(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(WORKERS)
    workers = [context.Process(target=_reserve, args=(url, number, ready)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * WORKERS
    engine = connect(url)
    left = SqlLedger(engine).left(Account(5, "1", "issue-1"), MANY)
    granted = _rows(engine)
    engine.dispose()
    # 4 dollars hold eight grants of half a dollar; each of the shared ids got one, once
    assert left.installation_day == 4.0
    assert len(granted) == len(set(granted)) == 8


def _reserve_and_die(url: str) -> None:
    SqlLedger(connect(url)).reserve("killed", HERE, ALLOWED)
    os._exit(9)


def test_a_worker_killed_between_reserving_and_settling_neither_loses_nor_doubles(url: str, ledger: SqlLedger) -> None:
    context = multiprocessing.get_context("spawn")
    for _ in range(2):
        worker = context.Process(target=_reserve_and_die, args=(url,))
        worker.start()
        worker.join(60)
        assert worker.exitcode == 9
    # their clock is the real one, which is later than this one's
    now = SqlLedger(ledger.engine)
    assert _rows(now.engine) == ["killed"]
    assert now.left(HERE, ALLOWED).installation_day == 2.0
    assert now.reserve("killed", HERE, ALLOWED) == Grant(2.0, 1)
    now.settle("killed", 0.75)
    assert now.left(HERE, ALLOWED).installation_day == 0.75
