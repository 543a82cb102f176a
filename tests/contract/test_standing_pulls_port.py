"""What every store of runs knows of the pull request that keeps one from being begun again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from fakes_store import FakeRuns, fix_check, fix_issue

from bot.adapters.logs import FileLogs
from bot.adapters.reading import StoredReader
from bot.adapters.store import SqlRuns, connect, migrate
from bot.jobs import FollowUp, Job, JobOutcome, State, job_id
from bot.pipeline.ports.reading import Filter
from bot.pipeline.ports.store import Runs

UNSOLVED = JobOutcome(State.UNSOLVED, "No attempt passed")
FOLLOW_UP = FollowUp("d-9", 99, "octo/fizz", 12, "issue-7", "regreen/issue-7", 44, "maintainer", "Shorter")


@dataclass(frozen=True)
class Store:
    """`read` tells the same by the rows that people see."""

    runs: Runs
    read: Callable[[str], int | None]

    def ran(self, job: Job, pull_request: int | None = None) -> str:
        """A run that ended, with a pull request or without."""
        identity = self.runs.started(job_id(job), job)
        self.runs.ended(identity, UNSOLVED if pull_request is None else published(pull_request))
        return identity

    def in_the_way(self, *identities: str) -> list[int | None]:
        found = [self.runs.in_the_way(identity) for identity in identities]
        assert found == [self.read(identity) for identity in identities]
        return found


def published(number: int) -> JobOutcome:
    return JobOutcome(State.PUBLISHED, f"Opened #{number}", pull_request=number, url="https://github.example/pull/12")


@pytest.fixture(params=["fake", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "fake":
        fake = FakeRuns()
        yield Store(fake, fake.in_the_way)
        return
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'regreen.sqlite'}" if sqlite else request.getfixturevalue("postgres")
    migrate(url)
    engine = connect(url)
    reader = StoredReader(engine, FileLogs(tmp_path), str)

    def read(identity: str) -> int | None:
        listed = {row.identity: row.in_the_way for row in reader.runs(Filter())}
        row = reader.run(identity)
        assert listed.get(identity) == (row.in_the_way if row else None)
        return listed.get(identity)

    yield Store(SqlRuns(engine), read)
    engine.dispose()


def test_an_open_pull_request_stands_in_the_way_of_all_runs_of_its_subject_and_of_no_other(store: Store) -> None:
    before = store.ran(fix_issue(7, delivery="d-1"))
    assert store.in_the_way(before, "nobody") == [None, None]
    opened = store.ran(fix_issue(7, delivery="d-2"), 12)
    after = store.ran(fix_issue(7, delivery="d-3"))
    others = store.ran(fix_issue(8)), store.ran(fix_issue(7, "octo/buzz"))
    assert store.in_the_way(before, opened, after, *others) == [12, 12, 12, None, None]


def test_once_it_was_closed_it_stands_in_nobodys_way(store: Store) -> None:
    opened = store.ran(fix_issue(7, delivery="d-1"), 12)
    for number, repository in ((13, "octo/fizz"), (12, "octo/buzz")):
        store.runs.pull_closed(repository, number)
    assert store.in_the_way(opened) == [12]
    for _ in range(2):
        store.runs.pull_closed("octo/fizz", 12)
        assert store.in_the_way(opened) == [None]


def test_of_several_the_newest_counts_though_nobody_told_that_the_others_were_closed(store: Store) -> None:
    first = store.ran(fix_issue(7, delivery="d-1"), 12)
    second = store.ran(fix_issue(7, delivery="d-2"), 15)
    assert store.in_the_way(first, second) == [15, 15]
    store.runs.pull_closed("octo/fizz", 15)
    assert store.in_the_way(first, second) == [None, None]


def test_what_goes_on_with_a_pull_request_may_begin_again_while_it_is_open(store: Store) -> None:
    opened = store.ran(fix_issue(7), 12)
    going_on = store.ran(FOLLOW_UP, 12)
    assert store.in_the_way(opened, going_on) == [12, None]
    store.runs.pull_closed("octo/fizz", 12)
    # a follow-up that ends late says nothing of whether it is open
    late = store.ran(replace(FOLLOW_UP, review=45), 12)
    assert store.in_the_way(opened, going_on, late) == [None, None, None]


def test_red_checks_of_a_branch_have_a_pull_request_of_their_own_and_those_of_one_do_not(store: Store) -> None:
    branch = store.ran(fix_check(), 20)
    theirs = store.ran(replace(fix_check(), pull_request=21, branch="topic"), 21)
    assert store.in_the_way(branch, theirs) == [20, None]
