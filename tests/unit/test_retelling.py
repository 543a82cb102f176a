"""A last word that GitHub did not take is shown later: once, unless a later run tells its own."""

from dataclasses import replace

import pytest
from fakes_desk import Around
from fakes_fix import Stage
from fakes_store import FakeRuns, FakeTime, FakeUnsaid

from bot.engine.inline import InlineEngine
from bot.errors import ForbiddenError, GitHubUnavailableError
from bot.jobs import FixCheck, Job, JobOutcome, State, job_id
from bot.pipeline.abandon import abandon, strand
from bot.pipeline.intake.retelling import KEPT_SECONDS, Retelling
from bot.pipeline.intake.site import Site
from bot.pipeline.reports.labels import Label
from sandbox.spec import File

DOWN = GitHubUnavailableError("502", "Wait.")


class Desk:
    """A job that ends while GitHub takes no comment."""

    def __init__(self) -> None:
        self.stage, self.around, self.runs, self.time = Stage(), Around(), FakeRuns(), FakeTime()
        self.unsaid = FakeUnsaid(self.time)
        self.stage.last_words = self.unsaid
        self.engine = InlineEngine(self._run)
        self.site = Site("o/r", self.stage.github, self.around.labels, self.around.pulls)
        self.retelling = Retelling(self.engine, self.runs, self.unsaid, lambda _r, _i: self.site, self.time)

    def _run(self, job: Job) -> JobOutcome:
        return self.runs.ended(job_id(job), self.stage.run(job))

    def end(self, job: Job | None = None, *, down: bool = True) -> str:
        job = job or self.stage.issue
        self.runs.started(job_id(job), job)
        if down:
            # each state in between, and the last word
            self.stage.github.failures["put_comment"] = [DOWN] * 9
        self.engine.enqueue(job)
        self.stage.github.failures.clear()
        return job_id(job)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_it_is_shown_once_when_github_takes_it(desk: Desk) -> None:
    desk.end()
    assert desk.stage.github.comments[7] == []
    assert desk.retelling.look() == 1
    assert "**Could not finish**: 502" in desk.stage.comment
    assert desk.around.labels.shown == [Label.FAILED]
    assert desk.retelling.look() == 0


@pytest.mark.parametrize("error", [DOWN, ForbiddenError("No access", "Grant it.")])
def test_while_github_does_not_take_it_it_waits_longer(desk: Desk, error: Exception) -> None:
    desk.end()
    desk.stage.github.failures["put_comment"] = [error]  # type: ignore[list-item]  # one of those that it raises
    assert desk.retelling.look() == 0
    assert desk.retelling.look() == 0
    desk.time.seconds += 60
    assert desk.retelling.look() == 1


def test_it_does_not_overwrite_what_a_later_run_says(desk: Desk) -> None:
    desk.end()
    desk.end(replace(desk.stage.issue, delivery_id="d9"), down=False)
    said = desk.stage.comment
    assert desk.retelling.look() == 0
    assert desk.stage.comment == said
    assert desk.unsaid.words == {}


def red(desk: Desk, text: str, *, asked: bool = False) -> FixCheck:
    """A red commit of pull request 12, each another one."""
    sha = desk.stage.github.add_commit("main", text, {})
    desk.stage.github.issues.setdefault(12, desk.stage.github.issues[7])
    return FixCheck(f"d-{text}", 1, "o/r", "topic", sha, 5, "mona", pull_request=12, about="issue-7", asked=asked)


def hold(desk: Desk, job: FixCheck, word: str = "") -> None:
    """Let a job have ended, whose last word GitHub did not take where there is one."""
    desk.runs.started(job_id(job), job)
    desk.engine._jobs[job_id(job)] = job
    desk.engine._outcomes[job_id(job)] = desk.runs.ended(job_id(job), JobOutcome(State.FAILED, word))
    if word:
        desk.unsaid.keep(job_id(job), word)


def test_a_later_run_on_another_commit_tells_nothing_of_this_one(desk: Desk) -> None:
    first = red(desk, "first")
    hold(desk, first, "**Could not finish**")
    hold(desk, red(desk, "second"))
    assert desk.retelling.look() == 1
    assert [check.head_sha for check in desk.stage.github.checks] == [first.head_sha]
    assert desk.around.labels.shown == []
    assert desk.unsaid.words == {}


@pytest.mark.parametrize("sooner", [True, False])
def test_it_is_shown_at_those_of_its_places_where_no_later_run_tells_its_own(desk: Desk, *, sooner: bool) -> None:
    first = red(desk, "first", asked=True)
    later = red(desk, "second", asked=True) if sooner else replace(first, asked=False)
    hold(desk, first, "**Could not finish**")
    hold(desk, later)
    assert desk.retelling.look() == 1
    assert [check.head_sha for check in desk.stage.github.checks] == ([first.head_sha] if sooner else [])
    assert len(desk.stage.github.comments[12]) == (not sooner)


def test_a_later_run_that_was_never_queued_tells_nothing(desk: Desk) -> None:
    desk.end()
    job = replace(desk.stage.issue, delivery_id="d9")
    desk.runs.started(job_id(job), job)
    assert desk.retelling.look() == 1


def test_it_waits_for_the_end_that_it_tells_of(desk: Desk) -> None:
    identity = desk.end()
    # as if the worker had been killed just before
    outcome = desk.engine._outcomes.pop(identity)
    assert desk.retelling.look() == 0
    desk.engine._outcomes[identity] = outcome
    desk.time.seconds += 60
    assert desk.retelling.look() == 1


@pytest.mark.parametrize("age", [KEPT_SECONDS - 1, KEPT_SECONDS + 1])
def test_after_a_week_nobody_waits_for_it(desk: Desk, age: float) -> None:
    desk.end()
    desk.time.seconds += age
    assert desk.retelling.look() == (age < KEPT_SECONDS)
    assert desk.unsaid.words == {}


def test_nothing_is_written_in_a_dry_run(desk: Desk) -> None:
    desk.end()
    desk.stage.github.add_commit("main", "policy", {".github/regreen.yml": File(b"dry_run: true\n")})
    desk.retelling.look()
    assert desk.stage.github.comments[7] == []
    assert desk.unsaid.words == {}


def test_the_end_of_a_job_that_killed_its_worker_is_kept_too(desk: Desk) -> None:
    desk.stage.github.failures["put_comment"] = [DOWN]
    outcome = abandon(desk.stage.issue, desk.site, desk.stage.reviews, desk.unsaid, 3)
    assert outcome.state is State.FAILED
    assert "died 3 times" in desk.unsaid.words[job_id(desk.stage.issue)].text


def test_a_job_that_another_version_left_is_told_of(desk: Desk) -> None:
    job = desk.stage.issue
    desk.runs.started(job_id(job), job)
    desk.engine.run_job = lambda job: strand(job, desk.unsaid)
    desk.engine.enqueue(job)
    assert desk.retelling.look() == 1
    assert "Regreen was updated" in desk.stage.comment


def test_a_word_that_a_fault_keeps_back_holds_up_no_other(desk: Desk) -> None:
    desk.stage.github.issues[8] = desk.stage.github.issues[7]
    first, second = desk.end(), desk.end(replace(desk.stage.issue, issue=8, delivery_id="d-8"))
    faults = [ValueError("unforeseen")]

    def site_for(_repository: str, _installation: int) -> Site:
        if faults:
            raise faults.pop()
        return desk.site

    assert list(desk.unsaid.words) == [first, second]
    assert replace(desk.retelling, site_for=site_for).look() == 1
    assert list(desk.unsaid.words) == [first]
