"""What every store of runs, holds and departures does, whichever it is in."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes_store import FakeDepartures, FakeHolds, FakeRuns, FakeTime, FakeUnsaid, fix_check, fix_issue

from bot.adapters.store import SqlDepartures, SqlHolds, SqlRuns, SqlUnsaid, connect, migrate
from bot.jobs import JobOutcome, State, job_id
from bot.pipeline.ports.store import Departures, Holds, Runs, Unsaid

ENDED = JobOutcome(State.GREEN, "Nothing to fix")


@dataclass(frozen=True)
class Store:
    runs: Runs
    holds: Holds
    departures: Departures
    unsaid: Unsaid
    time: FakeTime


def sql_store(url: str) -> Iterator[Store]:
    migrate(url)
    engine = connect(url)
    now = FakeTime()
    yield Store(SqlRuns(engine), SqlHolds(engine), SqlDepartures(engine), SqlUnsaid(engine, now), now)
    engine.dispose()


def fake_store() -> Store:
    now = FakeTime()
    return Store(FakeRuns(), FakeHolds(), FakeDepartures(), FakeUnsaid(now), now)


@pytest.fixture(params=["fake", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "fake":
        yield fake_store()
        return
    sqlite = request.param == "sqlite"
    yield from sql_store(f"sqlite:///{tmp_path / 'regreen.sqlite'}" if sqlite else request.getfixturevalue("postgres"))


def start(store: Store, number: int = 7, delivery: str = "d-1", repository: str = "octo/fizz") -> str:
    job = fix_issue(number, repository, delivery)
    return store.runs.started(job_id(job), job)


def test_a_subject_has_one_active_run_and_others_go_beside_it(store: Store) -> None:
    first = start(store)
    assert first == "octo/fizz:issue-7:d-1"
    assert start(store, delivery="d-2") == start(store) == first
    assert start(store, 8) == "octo/fizz:issue-8:d-1"
    assert start(store, repository="octo/buzz") == "octo/buzz:issue-7:d-1"
    assert [run.identity for run in store.runs.of_subject("octo/fizz", "issue-7", 9)] == [first]


def test_after_its_end_the_next_run_may_start_and_the_old_one_stays_ended(store: Store) -> None:
    first = start(store)
    assert store.runs.ended(first, ENDED) == ENDED
    second = start(store, delivery="d-2")
    assert second == "octo/fizz:issue-7:d-2"
    assert start(store) == first
    assert store.runs.outcome(first) == ENDED
    assert store.runs.outcome(second) is None
    newest = store.runs.of_subject("octo/fizz", "issue-7", 9)
    assert [(run.identity, run.outcome) for run in newest] == [(second, None), (first, ENDED)]
    assert store.runs.of_subject("octo/fizz", "issue-7", 1) == newest[:1]


def test_what_has_not_ended_is_listed_and_what_was_never_queued_is_forgotten(store: Store) -> None:
    first, second, third = start(store, 1), start(store, 2), start(store, 3)
    store.runs.ended(first, ENDED)
    assert store.runs.open() == (second, third)
    for identity in (first, second, "nobody"):
        store.runs.forget(identity)
    assert store.runs.open() == (third,)
    assert store.runs.outcome(first) == ENDED
    assert start(store, 2, "d-2") == "octo/fizz:issue-2:d-2"


def test_the_first_outcome_stands_and_is_told(store: Store) -> None:
    first, other = start(store), JobOutcome(State.CANCELLED, "Stopped")
    assert store.runs.ended(first, ENDED) == ENDED
    assert store.runs.ended(first, other) == store.runs.outcome(first) == ENDED
    assert store.runs.outcome("nobody") is None


def test_of_many_triggers_at_once_one_starts(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda number: start(store, delivery=f"d-{number}"), range(24)))
    assert len(found) == 1


def test_what_an_installation_has_under_way_is_listed_oldest_first(store: Store) -> None:
    ended = start(store, 1)
    store.runs.ended(ended, ENDED)
    there = [start(store, 2), start(store, 3, repository="octo/buzz")]
    check = fix_check("octo/other")
    there.append(store.runs.started(job_id(check), check))
    assert [run.identity for run in store.runs.active(99, ())] == there
    assert [run.identity for run in store.runs.active(99, ("octo/buzz", "octo/none"))] == [there[1]]
    assert store.runs.active(98, ()) == ()


def test_a_subject_is_held_until_it_is_released_and_says_by_whom(store: Store) -> None:
    assert store.holds.held("octo/fizz", "issue-7") == ""
    for by in ("ann", "bob", "ann"):
        store.holds.hold("octo/fizz", "issue-7", by, 5.0)
        assert store.holds.held("octo/fizz", "issue-7") == "ann"
    assert store.holds.held("octo/fizz", "issue-8") == store.holds.held("octo/buzz", "issue-7") == ""
    for _ in range(2):
        store.holds.release("octo/fizz", "issue-7", 6.0)
        assert store.holds.held("octo/fizz", "issue-7") == ""
    store.holds.hold("octo/fizz", "issue-7", "bob", 7.0)
    assert store.holds.held("octo/fizz", "issue-7") == "bob"


def test_the_last_word_said_about_a_subject_stands_whichever_comes_first(store: Store) -> None:
    store.holds.release("octo/fizz", "issue-7", 20.5)
    store.holds.hold("octo/fizz", "issue-7", "ann", 20.0)
    assert store.holds.held("octo/fizz", "issue-7") == ""
    store.holds.hold("octo/fizz", "issue-7", "bob", 20.5)
    store.holds.hold("octo/fizz", "issue-7", "ann", 30.0)
    store.holds.release("octo/fizz", "issue-7", 25.0)
    assert store.holds.held("octo/fizz", "issue-7") == "bob"
    store.holds.release("octo/fizz", "issue-7", 31.0)
    assert store.holds.held("octo/fizz", "issue-7") == ""


def test_an_installation_that_left_says_why_for_each_of_its_repositories(store: Store) -> None:
    store.departures.left(5, (), "it was suspended")
    store.departures.left(5, (), "it was removed")
    assert store.departures.why(5, "octo/fizz") == "it was suspended"
    assert store.departures.why(6, "octo/fizz") == ""
    store.departures.returned(5, ())
    assert store.departures.why(5, "octo/fizz") == ""


def test_repositories_leave_and_return_one_by_one(store: Store) -> None:
    store.departures.left(5, ("octo/a", "octo/b"), "it was taken out")
    assert [bool(store.departures.why(5, f"octo/{name}")) for name in "abc"] == [True, True, False]
    store.departures.returned(5, ("octo/a",))
    assert [bool(store.departures.why(5, f"octo/{name}")) for name in "abc"] == [False, True, False]


def test_a_last_word_is_kept_until_it_was_shown_and_each_try_waits(store: Store) -> None:
    store.unsaid.keep("one", "**Done**")
    store.unsaid.keep("one", "something else")
    store.time.seconds += 60
    store.unsaid.keep("two", "**Stopped**\ud800")
    (first, *_) = store.unsaid.due(9)
    assert (first.identity, first.text) == ("one", "**Done**")
    store.unsaid.later("one")
    assert "one" not in [word.identity for word in store.unsaid.due(9)]
    store.time.seconds += 3_600
    assert {word.identity for word in store.unsaid.due(9)} == {"one", "two"}
    assert len(store.unsaid.due(1)) == 1
    for name in ("one", "nobody"):
        store.unsaid.later(name)
        store.unsaid.done(name)
    store.time.seconds += 3_600
    assert [word.identity for word in store.unsaid.due(9)] == ["two"]


def test_a_last_word_that_a_clock_that_was_ahead_put_off_is_due(store: Store) -> None:
    store.time.seconds += 400 * 86_400
    store.unsaid.keep("one", "**Done**")
    store.unsaid.later("one")
    assert store.unsaid.due(9) == ()
    store.time.seconds -= 400 * 86_400
    assert [word.identity for word in store.unsaid.due(9)] == ["one"]
