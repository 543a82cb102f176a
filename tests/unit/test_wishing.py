"""What operators ask of runs is done once, as a command on GitHub would do it, and answered."""

from dataclasses import replace

import pytest
from fakes_acts import Desk
from fakes_store import FakeTime, fix_check
from fakes_wishes import FakeWishes
from payloads import SHA

from bot.errors import GitHubUnavailableError
from bot.events import PullRequest
from bot.jobs import FixCheck, FollowUp, Job, JobOutcome, State, job_id
from bot.pipeline.intake.wishing import GIVEN_UP_SECONDS, Wishing
from bot.pipeline.ports.github import IssueFacts
from bot.pipeline.ports.store import Asked
from sandbox.spec import File

DOWN = GitHubUnavailableError("GitHub is down", "Wait.")
UNSOLVED = JobOutcome(State.UNSOLVED, "No attempt passed")


class Operators:
    """A desk and the wishes about its runs."""

    def __init__(self) -> None:
        self.desk, self.now = Desk(), FakeTime()
        self.wishes = FakeWishes(self.now)
        dispatcher = self.desk.dispatcher
        self.wishing = Wishing(self.wishes, dispatcher.acting, dispatcher.intake, self.now)

    def ask(self, identity: str, what: Asked) -> str | None:
        """Ask, let a worker look once, and say what came of it."""
        number = self.wishes.ask(identity, what, "a page", self.now())
        self.wishing.look()
        return self.said(number)

    def said(self, number: int) -> str | None:
        wish = self.wishes.wish(number)
        return wish.said if wish and wish.done_at is not None else None

    def run(self) -> str:
        """A run about issue 7, queued."""
        self.desk.label()
        (identity,) = self.desk.runs.open()
        return identity

    def ended(self, job: Job) -> str:
        """A run that ended without a fix."""
        self.desk.runs.started(job_id(job), job)
        self.desk.engine.enqueue(job)
        self.desk.runs.ended(job_id(job), UNSOLVED)
        return job_id(job)

    def again(self) -> Job:
        """The job of the only run that is open."""
        (identity,) = self.desk.runs.open()
        job = self.desk.engine.job(identity)
        assert job
        return job


@pytest.fixture
def operators() -> Operators:
    return Operators()


def test_a_cancelled_run_is_over_and_said_where_every_end_is_said(operators: Operators) -> None:
    identity = operators.run()
    assert operators.ask(identity, Asked.CANCEL) == "It was cancelled."
    assert operators.desk.states == [State.CANCELLED]
    assert "an operator of this Regreen stopped it" in operators.desk.status
    assert operators.ask(identity, Asked.CANCEL) == "It was cancelled."
    assert len(operators.desk.comments) == 1


def test_a_run_that_ended_before_stays_as_it_ended(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.runs.ended(identity, UNSOLVED)
    assert operators.ask(identity, Asked.CANCEL) == "It had ended before."
    assert operators.desk.states == [State.UNSOLVED]


def test_while_a_step_is_under_way_the_wish_stays_open_and_what_comes_after_it_waits(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.engine.busy = 1
    assert operators.ask(identity, Asked.CANCEL) is None
    assert operators.ask(identity, Asked.RETRY) is None
    operators.now.seconds += 2
    assert operators.wishing.look() == 2
    assert operators.desk.states == [State.CANCELLED]
    assert job_id(operators.again()) == "octo/fizz:issue-7:wish-2"


def test_a_cancelled_run_that_github_cannot_be_told_of_is_told_later(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.github.failures["put_comment"] = [DOWN]
    assert operators.ask(identity, Asked.CANCEL) == "It was cancelled."
    assert list(operators.desk.around.unsaid.words) == [identity]


def test_a_retried_issue_is_a_new_run_that_somebody_asked_for(operators: Operators) -> None:
    identity = operators.run()
    assert operators.ask(identity, Asked.RETRY) == f"The run {identity} is queued or works already."
    operators.desk.runs.ended(identity, UNSOLVED)
    assert operators.ask(identity, Asked.RETRY) == "Queued as octo/fizz:issue-7:wish-2."
    again = operators.again()
    assert (again.asked, again.sender, again.at.received) == (True, "maintainer", operators.now())


def test_while_its_pull_request_is_open_a_run_is_not_begun_again_and_afterwards_it_is(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.runs.ended(identity, JobOutcome(State.PUBLISHED, "Opened #12", pull_request=12))
    said = operators.ask(identity, Asked.RETRY)
    assert said == "Its pull request #12 is open: review, merge or close that one first."
    assert operators.desk.runs.open() == ()
    operators.desk.runs.pull_closed("octo/fizz", 12)
    assert operators.ask(identity, Asked.RETRY) == "Queued as octo/fizz:issue-7:wish-2."


def test_a_retry_that_a_crash_interrupted_is_one_run(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.runs.ended(identity, UNSOLVED)
    number = operators.wishes.ask(identity, Asked.RETRY, "a page", operators.now())
    for _ in range(2):
        operators.wishing.look()
        operators.wishes.all[0] = replace(operators.wishes.all[0], done_at=None)
    operators.wishing.look()
    assert operators.said(number) == "Queued as octo/fizz:issue-7:wish-1."
    assert len(operators.desk.runs.jobs) == 2


def test_a_retry_whose_run_ended_before_its_wish_did_is_told_as_queued(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.runs.ended(identity, UNSOLVED)
    number = operators.wishes.ask(identity, Asked.RETRY, "a page", operators.now())
    operators.wishing.look()
    operators.desk.runs.ended(job_id(operators.again()), JobOutcome(State.PUBLISHED, "Opened #12", pull_request=12))
    operators.wishes.all[0] = replace(operators.wishes.all[0], done_at=None)
    operators.wishing.look()
    assert operators.said(number) == "Queued as octo/fizz:issue-7:wish-1."


def test_a_retried_follow_up_does_not_find_the_run_of_its_review(operators: Operators) -> None:
    operators.desk.github.issues[12] = IssueFacts(is_open=True, labels=())
    job = FollowUp("d-1", 99, "octo/fizz", 12, "issue-7", "regreen/issue-7", 44, "maintainer", "Shorter")
    assert operators.ask(operators.ended(job), Asked.RETRY) == "Queued as octo/fizz:issue-7:wish-1."
    assert operators.again() == replace(job, delivery_id="wish-1", review=0, asked=True, at=operators.again().at)


def test_a_retried_check_is_about_the_commit_that_is_there_now(operators: Operators) -> None:
    operators.desk.github.branches["main"] = SHA
    operators.ask(operators.ended(fix_check()), Asked.RETRY)
    again = operators.again()
    assert isinstance(again, FixCheck)
    assert (again.head_sha, again.suite_id, again.delivery_id) == (SHA, 0, "wish-1")


def test_a_retried_check_of_a_pull_request_is_about_its_head(operators: Operators) -> None:
    there = PullRequest(12, "octo", "", "topic", SHA, "main", is_open=True, is_fork=False)
    operators.desk.around.pulls.seen.append(there)
    operators.ask(operators.ended(replace(fix_check(), pull_request=12, branch="topic")), Asked.RETRY)
    again = operators.again()
    assert isinstance(again, FixCheck)
    assert (again.head_sha, again.pull_request) == (SHA, 12)


def test_what_is_not_there_any_more_is_not_retried(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.close()
    operators.desk.runs.ended(identity, UNSOLVED)
    assert operators.ask(identity, Asked.RETRY) == "#7 is not open any more."
    del operators.desk.github.branches["main"]
    assert operators.ask(operators.ended(fix_check()), Asked.RETRY) == "The branch is not there any more."
    closed = operators.ended(replace(fix_check("octo/fizz"), pull_request=13, head_sha="b" * 40))
    assert operators.ask(closed, Asked.RETRY) == "The pull request #13 is not open any more."
    assert operators.desk.runs.open() == ()


def test_a_retry_keeps_to_what_holds_for_everybody(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.runs.ended(identity, UNSOLVED)
    operators.desk.around.holds.hold("octo/fizz", "issue-7", "ann", 5.0)
    assert "paused" in str(operators.ask(identity, Asked.RETRY))
    operators.desk.around.holds.release("octo/fizz", "issue-7", 6.0)
    operators.desk.github.add_commit("main", "off", {".github/regreen.yml": File(b"enabled: false\n")})
    assert "switches the bot off" in str(operators.ask(identity, Asked.RETRY))
    operators.desk.around.app.installations.clear()
    operators.desk.around.departures.left(99, (), "it was removed")
    assert operators.ask(identity, Asked.RETRY) == "The App may not work there: it was removed."


def test_while_github_is_down_a_retry_waits_ever_longer_and_is_given_up_at_last(operators: Operators) -> None:
    identity = operators.run()
    operators.desk.runs.ended(identity, UNSOLVED)
    operators.desk.github.failures["issue"] = [DOWN] * 99
    number = operators.wishes.ask(identity, Asked.RETRY, "a page", operators.now())
    looked = 0
    for _ in range(300):
        before = operators.desk.github.calls.count("issue")
        operators.wishing.look()
        looked += operators.desk.github.calls.count("issue") - before
        operators.now.seconds += 1
    assert 4 <= looked <= 12
    assert operators.said(number) is None
    operators.now.seconds += GIVEN_UP_SECONDS
    operators.wishing.look()
    assert operators.said(number) == "Given up: GitHub is down."


def test_nobody_knows_a_run_that_was_never_queued(operators: Operators) -> None:
    assert "No such run" in str(operators.ask("octo/fizz:issue-7:nothing", Asked.CANCEL))
