"""What every `Reader` finds: the scripted one, so that tests of pages mean something, and the one over the store."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fakes_reading import ScriptedReader, row

from bot.adapters.reading import StoredReader
from bot.adapters.run_logs import FileRunLogs
from bot.adapters.store import SqlLedger, SqlRuns, connect, migrate
from bot.jobs import FixIssue, JobOutcome, State, job_id
from bot.pipeline.ports.reading import OPEN, Filter, Reader
from bot.pipeline.spending.ledger import Account, Allowance

JOBS = (
    (
        "owner/name",
        1,
        "octocat",
        JobOutcome(State.PUBLISHED, "Opened pull request #4", "solved", 4, "https://x/4", 9, 0.5),
    ),
    ("Owner/secret", 2, "mona", JobOutcome(State.UNSOLVED, "No fix: 100% exhausted", "exhausted")),
    ("owner/name", 3, "octocat", None),
)


def scripted() -> Reader:
    rows = []
    for at, (repository, issue, sender, outcome) in enumerate(JOBS, 1):
        said = {"state": outcome.state.value, "headline": outcome.headline, "stop": outcome.stop} if outcome else {}
        ended = {"ended_at": 2000.0} if outcome else {}
        rows.append(row(at, repository, f"issue-{issue}", sender=sender, **said, **ended, title=f"Crash \ufffd{issue}"))
    return ScriptedReader(rows)


@contextmanager
def stored(url: str, path: Path) -> Iterator[Reader]:
    migrate(url)
    engine = connect(url)
    now = itertools.count(1000.0)
    runs = SqlRuns(engine, lambda: next(now))
    for at, (repository, issue, sender, outcome) in enumerate(JOBS, 1):
        job = FixIssue(f"d{at}", 7, repository, "main", issue, f"Crash \0{issue}", "", sender)
        runs.started(job_id(job), job)
        if outcome:
            runs.ended(job_id(job), outcome)
    yield StoredReader(engine, FileRunLogs(lambda identity: path / identity), lambda text: text, lambda: 1000.0)
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    sqlite = f"sqlite:///{tmp_path}/cost.sqlite"
    return str(request.getfixturevalue("postgres")) if request.param == "postgres" else sqlite


def test_what_a_stopped_run_was_charged_and_how_long_it_worked_is_not_lost(url: str, tmp_path: Path) -> None:
    stopped, told = "owner/name:issue-3:d3", "owner/name:issue-1:d1"
    with stored(url, tmp_path) as reader:
        engine = connect(url)
        ledger, runs = SqlLedger(engine, lambda: 1000.0), SqlRuns(engine, lambda: 1300.5)
        for identity in (stopped, told):
            ledger.reserve(identity, Account(7, "owner/name", "issue"), Allowance(9.0, 9.0, 9.0, 9.0, 9))
            ledger.charge(identity, "call", 1.25)
        SqlRuns(engine, lambda: 1100.5).begun(stopped, "w-1")
        assert [one.dollars for one in reader.runs(Filter(state=OPEN))] == [1.25], "so far"
        runs.ended(stopped, JobOutcome(State.CANCELLED, "Stopped: enough", "cancelled"))
        engine.dispose()
        row, figures = reader.run(stopped), reader.repository("owner/name", 1)
    assert row is not None
    assert (row.dollars, row.took, row.told) == (1.25, 200.0, False)
    assert figures.days[0].dollars == 1.25 + 0.5, "what a run told of itself stands"


@pytest.fixture(params=["scripted", "sqlite", "postgres"])
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reader]:
    if request.param == "scripted":
        yield scripted()
        return
    sqlite = f"sqlite:///{tmp_path}/regreen.sqlite"
    url = request.getfixturevalue("postgres") if request.param == "postgres" else sqlite
    with stored(url, tmp_path) as made:
        yield made


def found(reader: Reader, wanted: Filter) -> list[str]:
    return [one.subject for one in reader.runs(wanted)]


def test_runs_come_newest_first_and_page_by_page(reader: Reader) -> None:
    assert found(reader, Filter()) == ["issue-3", "issue-2", "issue-1"]
    first = reader.runs(Filter(limit=2))
    assert [one.subject for one in first] == ["issue-3", "issue-2"]
    assert found(reader, Filter(before=first[-1].sequence)) == ["issue-1"]
    assert len(reader.runs(Filter(before=2**63))) == 3


def test_names_are_the_same_in_either_case(reader: Reader) -> None:
    assert found(reader, Filter(repository="OWNER/NAME")) == ["issue-3", "issue-1"]
    assert found(reader, Filter(subject="ISSUE-2")) == ["issue-2"]
    assert found(reader, Filter(repository="owner")) == []


def test_a_state_is_that_of_an_ended_run_or_open(reader: Reader) -> None:
    assert found(reader, Filter(state=OPEN)) == ["issue-3"]
    assert found(reader, Filter(state="unsolved")) == ["issue-2"]


def test_text_is_taken_as_it_is(reader: Reader) -> None:
    assert found(reader, Filter(text="PULL request")) == ["issue-1"]
    assert found(reader, Filter(text="mona")) == ["issue-2"]
    assert found(reader, Filter(text="100%")) == ["issue-2"]
    assert found(reader, Filter(text="CRASH \ufffd2")) == ["issue-2"]
    assert [one.title for one in reader.runs(Filter(limit=1))] == ["Crash \ufffd3"]
    assert found(reader, Filter(text="1%0")) == []
    assert found(reader, Filter(text="_")) == []
    assert found(reader, Filter(text="' or 1=1 --\0")) == []


def test_hidden_repositories_are_left_out(reader: Reader) -> None:
    assert found(reader, Filter(hidden=("owner/s*",))) == ["issue-3", "issue-1"]
    assert found(reader, Filter(hidden=("*/nam?",))) == ["issue-2"]
    assert found(reader, Filter(hidden=("owner/s_cret", "%"))) == ["issue-3", "issue-2", "issue-1"]


def test_a_run_is_found_by_its_whole_identity_and_by_what_it_begins_with(reader: Reader) -> None:
    whole = "owner/name:issue-1:d1"
    assert found(reader, Filter(prefix="owner/name:issue-1:")) == ["issue-1"]
    assert found(reader, Filter(prefix="OWNER/name:issue-1:")) == []
    run = reader.run(whole)
    assert run is not None
    assert (run.identity, run.shown, run.sender) == (whole, "published", "octocat")
    assert reader.run("owner/name:issue-1:") is None


def test_repositories_come_with_the_newest_run_first(reader: Reader) -> None:
    assert reader.repositories(10) == ("owner/name", "Owner/secret")
    assert reader.repositories(1) == ("owner/name",)
    assert reader.repositories(1, ("owner/n*",)) == ("Owner/secret",), "those that are left out take nobody's place"


def test_a_run_without_a_log_has_no_entries_and_no_artifacts(reader: Reader) -> None:
    assert reader.entries("owner/name:issue-1:d1", -1) == ()
    assert reader.artifact("owner/name:issue-1:d1", "log.jsonl") is None


def test_a_repository_without_runs_has_days_all_the_same(reader: Reader) -> None:
    figures = reader.repository("nobody/nothing", 3)
    assert (len(figures.days), figures.known) == (3, False)


def test_figures_count_what_ended_on_each_day(tmp_path: Path) -> None:
    with stored(f"sqlite:///{tmp_path}/r.sqlite", tmp_path) as reader:
        figures = reader.repository("OWNER/name", 2)
    assert [day.day for day in figures.days] == ["1969-12-31", "1970-01-01"]
    assert (figures.known, figures.open) == (True, 1)
    assert figures.days[-1].states == (("published", 1),)
    assert len(figures.days[-1].to_pull_request) == 1
    assert all(seconds > 0 for seconds in figures.days[-1].to_pull_request)
