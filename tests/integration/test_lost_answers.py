"""A write whose commit was done, and whose answer was lost with the connection, is sent again and changes nothing more.

Not here: what nobody sends again. `postpone` and `Unsaid.later` put something off once more, which is then not due;
`urgent` hands out what its turn comes for all the same; who could not enlist or bury begins anew.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import postgres_server
import pytest
import sqlalchemy as sa
from fakes_store import FakeTime, fix_issue
from lost_answers import LostAnswers

from bot.adapters.store import (
    SqlArtifacts,
    SqlDepartures,
    SqlFleet,
    SqlHolds,
    SqlInbox,
    SqlJournal,
    SqlLeases,
    SqlLedger,
    SqlReviews,
    SqlRuns,
    SqlUnsaid,
    SqlWishes,
    connect,
    metadata,
    migrate,
)
from bot.adapters.store.old import SqlOld
from bot.adapters.store.patience import insist
from bot.errors import StoreDownError
from bot.events import Delivery
from bot.jobs import JobOutcome, State, job_id
from bot.pipeline.ports.fleet import Member
from bot.pipeline.ports.store import Asked
from bot.pipeline.spending.ledger import Account, Allowance
from bot.repair.reproduction.written import WrittenTest

JOB = fix_issue()
RUN = job_id(JOB)
HERE = Account(5, "1", "issue-7")
ALLOWED = Allowance(run=2.0, pull_request=5.0, repository_day=8.0, installation_day=10.0, attempts=3)
DELIVERY = Delivery("d-1", "issues", b'{"action": "labeled"}')
ENDED = JobOutcome(State.GREEN, "Nothing to fix")
MEMBER = Member("w-1", "host", 1, "3", 2, 60.0)
TEST = WrittenTest("tests/test_issue_7.py", b"def test_x(): ...\n", "AssertionError", "m", "because")
TIMES = frozenset({"started_at", "beat_at"})
"""Columns that the database's clock fills."""

Rows = dict[str, list[dict[str, Any]]]


@dataclass
class Stores:
    """All of them, over one database; `steps` are the writes that lead to the last one."""

    engine: sa.Engine

    def __post_init__(self) -> None:
        now = FakeTime(1_000_000.0)
        self.inbox, self.runs = SqlInbox(self.engine, now), SqlRuns(self.engine, now)
        self.ledger = SqlLedger(self.engine, now)
        self.holds, self.departures = SqlHolds(self.engine), SqlDepartures(self.engine, now)
        self.unsaid, self.wishes = SqlUnsaid(self.engine, now), SqlWishes(self.engine, now)
        self.leases, self.fleet = SqlLeases(self.engine, "me", now), SqlFleet(self.engine)
        self.starts, self.artifacts = self.fleet.starts("w-1"), SqlArtifacts(self.engine, now)
        self.reviews, self.old = SqlReviews(self.engine, "one"), SqlOld(self.engine)
        self.journal = SqlJournal(self.engine, RUN, now, str)


Write = Callable[[Stores], object]
WRITES: dict[str, tuple[Write, ...]] = {
    "accept": (lambda to: to.inbox.accept(DELIVERY) in {True, False},),
    "note_cut": (lambda to: to.inbox.accept(DELIVERY), lambda to: to.inbox.note_cut("d-1", ("r",))),
    "decide": (lambda to: to.inbox.accept(DELIVERY), lambda to: to.inbox.decide("d-1", "queued", RUN)),
    "take": (lambda to: to.leases.take("lane", 60.0),),
    "renew": (lambda to: to.leases.take("lane", 60.0), lambda to: to.leases.renew(["lane"], 90.0)),
    "release lease": (lambda to: to.leases.take("lane", 60.0), lambda to: to.leases.release("lane")),
    "started": (lambda to: to.runs.started(RUN, JOB),),
    "begun": (lambda to: to.runs.started(RUN, JOB), lambda to: to.runs.begun(RUN, "w-1")),
    "ended": (lambda to: to.runs.started(RUN, JOB), lambda to: to.runs.ended(RUN, ENDED)),
    "forget": (lambda to: to.runs.started(RUN, JOB), lambda to: to.runs.forget(RUN)),
    "hold": (lambda to: to.holds.hold("o/r", "issue-7", "ann", 5.0),),
    "hold twice": (
        lambda to: to.holds.hold("o/r", "issue-7", "ann", 5.0),
        lambda to: to.holds.hold("o/r", "issue-7", "bob", 6.0),
    ),
    "release": (
        lambda to: to.holds.hold("o/r", "issue-7", "ann", 5.0),
        lambda to: to.holds.release("o/r", "issue-7", 6.0),
    ),
    "left": (lambda to: to.departures.left(5, ("o/r",), "gone"),),
    "returned": (lambda to: to.departures.left(5, ("o/r",), "gone"), lambda to: to.departures.returned(5, ("o/r",))),
    "keep word": (lambda to: to.unsaid.keep(RUN, "word"),),
    "done word": (lambda to: to.unsaid.keep(RUN, "word"), lambda to: to.unsaid.done(RUN)),
    "ask": (lambda to: to.wishes.ask(RUN, Asked.CANCEL, "ann", 5.0),),
    "done wish": (lambda to: to.wishes.ask(RUN, Asked.CANCEL, "ann", 5.0), lambda to: to.wishes.done(1, "stopped")),
    "beat": (lambda to: to.fleet.enlist(MEMBER), lambda to: to.fleet.beat("w-1", {RUN: True})),
    "leave": (lambda to: to.fleet.enlist(MEMBER), lambda to: to.fleet.leave("w-1")),
    "begin": (lambda to: to.starts.begin(RUN),),
    "got_on": (lambda to: to.starts.begin(RUN), lambda to: to.starts.got_on(RUN)),
    "put": (lambda to: to.artifacts.put(b"data"),),
    "keep test": (lambda to: to.reviews.keep(TEST),),
    "append": (lambda to: to.journal.append("began", {}), lambda to: to.journal.append("called", {})),
    "reserve": (lambda to: to.ledger.reserve(RUN, HERE, ALLOWED),),
    "charge": (lambda to: to.ledger.reserve(RUN, HERE, ALLOWED), lambda to: to.ledger.charge(RUN, "one", 0.75)),
    "settle": (
        lambda to: to.ledger.reserve(RUN, HERE, ALLOWED),
        lambda to: to.ledger.charge(RUN, "one", 0.75),
        lambda to: to.ledger.settle(RUN, 0.5),
    ),
    "drop_runs": (
        lambda to: to.runs.started(RUN, JOB),
        lambda to: to.runs.ended(RUN, ENDED),
        lambda to: to.old.drop_runs((RUN,)),
    ),
}
"""What leads to a write, and last the write."""


@pytest.fixture(scope="module")
def database(postgres_cluster: postgres_server.Cluster) -> Iterator[str]:
    url = postgres_cluster.create()
    migrate(url)
    yield url
    postgres_cluster.drop(url)


@pytest.fixture(scope="module")
def network(postgres_cluster: postgres_server.Cluster) -> Iterator[LostAnswers]:
    with LostAnswers(postgres_cluster.port) as made:
        yield made


@pytest.fixture
def near(database: str) -> Iterator[sa.Engine]:
    engine = connect(database)
    yield engine
    engine.dispose()


@pytest.fixture
def far(database: str, network: LostAnswers) -> Iterator[sa.Engine]:
    engine = connect(sa.make_url(database).set(port=network.port).render_as_string())
    # a new connection commits what it sets
    rows(engine)
    yield engine
    engine.dispose()


def emptied(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        names = ", ".join(table.name for table in metadata.sorted_tables)
        connection.execute(sa.text(f"TRUNCATE {names} RESTART IDENTITY"))


def rows(engine: sa.Engine) -> Rows:
    with engine.connect() as connection:
        return {
            table.name: [
                {name: value for name, value in row._asdict().items() if name not in TIMES or table.name == "runs"}
                for row in connection.execute(sa.select(table).order_by(*table.primary_key.columns))
            ]
            for table in metadata.sorted_tables
        }


@pytest.mark.parametrize("name", WRITES)
def test_a_write_whose_answer_was_lost_is_sent_again_without_harm(
    name: str, near: sa.Engine, far: sa.Engine, network: LostAnswers
) -> None:
    *before, write = WRITES[name]
    emptied(near)
    once = Stores(near)
    for step in before:
        step(once)
    answer, expected = write(once), rows(near)
    emptied(near)
    again = Stores(far)
    for step in before:
        step(again)
    lost, network.armed = network.lost, 1
    done: list[Rows] = []
    assert insist(lambda: write(again), (0.0,), lambda _: done.append(rows(near))) == answer
    assert network.lost == lost + 1
    assert done in ([], [expected])
    assert rows(near) == expected


def test_the_answer_is_lost_after_the_commit_and_the_caller_learns_of_it(
    near: sa.Engine, far: sa.Engine, network: LostAnswers
) -> None:
    emptied(near)
    network.armed = 1
    with pytest.raises(StoreDownError):
        SqlRuns(far).started(RUN, JOB)
    assert SqlRuns(near).open() == (RUN,)
