from dataclasses import replace
from pathlib import Path

from fakes_desk import FakePulls
from fakes_fix import Stage
from fakes_labels import FakeLabels
from fakes_reviews import MemoryReviews
from fakes_store import FakeUnsaid, fix_issue

from bot.engine.starts import FileStarts
from bot.errors import GitHubUnavailableError
from bot.jobs import JobOutcome, State, job_id
from bot.pipeline.abandon import abandon, fail
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.github import CheckState
from bot.pipeline.ports.job import Unkept
from bot.pipeline.reports.status import StatusBoard
from bot.policy import PATH
from sandbox.spec import File


def site(stage: Stage) -> Site:
    return Site("o/r", stage.github, FakeLabels(), FakePulls())


def test_the_comment_of_an_abandoned_job_ends_in_a_state_that_names_the_cause() -> None:
    stage = Stage()
    StatusBoard(stage.issue, stage.github).working("fetching")
    outcome = abandon(stage.issue, site(stage), MemoryReviews(), Unkept(), 3)
    assert (outcome.state, outcome.stop) == (State.FAILED, "Abandoned")
    assert "Working on it" not in stage.comment
    assert "the worker died 3 times in a row" in stage.comment
    assert "What would help" in stage.comment


def test_the_check_of_an_abandoned_job_ends_too() -> None:
    stage = Stage()
    job = stage.check()
    StatusBoard(job, stage.github).working("fetching")
    abandon(job, site(stage), MemoryReviews(), Unkept(), 3)
    (check,) = stage.github.checks
    assert check.state is CheckState.NEUTRAL
    assert "died 3 times" in check.title


def test_a_github_that_is_down_takes_no_outcome_away() -> None:
    stage = Stage()
    stage.github.failures["put_comment"] = [GitHubUnavailableError("502", "Wait.")]
    assert abandon(stage.issue, site(stage), MemoryReviews(), Unkept(), 3).state is State.FAILED


def test_a_job_whose_run_broke_has_a_last_word_with_its_cause_and_what_helps() -> None:
    words, job = FakeUnsaid(), fix_issue()
    fail(job, JobOutcome(State.FAILED, "Could not finish: the disk is full"), words)
    text = words.words[job_id(job)].text
    assert "Could not finish: the disk is full" in text
    assert "What would help" in text
    assert "worker's log" in text


def test_a_dry_run_is_abandoned_without_a_word() -> None:
    stage = Stage()
    stage.github.add_commit("main", "policy", {PATH: File(b"dry_run: true\n")})
    assert abandon(stage.issue, site(stage), MemoryReviews(), Unkept(), 3).state is State.FAILED
    assert stage.github.comments[7] == []


def test_starts_in_a_row_are_counted_across_processes_until_the_job_gets_on(tmp_path: Path) -> None:
    one, other = "o/r:issue-1:a", "o/r:issue-2:" + "x" * 500
    assert [FileStarts(tmp_path / "starts").begin(one) for _ in range(3)] == [1, 2, 3]
    starts = FileStarts(tmp_path / "starts")
    assert starts.begin(other) == 1
    starts.got_on(one)
    starts.got_on("never begun")
    assert (starts.begin(one), starts.begin(other)) == (1, 2)
    starts.clear()
    assert starts.begin(other) == 1


def test_a_start_that_cannot_be_counted_is_the_first(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    starts = replace(FileStarts(tmp_path), directory=tmp_path / "file")
    assert starts.begin(fix_issue().repository) == 1
    starts.got_on(fix_issue().repository)
