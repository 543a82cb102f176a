"""One active run a subject: who asks again is told, and what is new waits."""

from dataclasses import dataclass, field, replace

import pytest
from fakes_desk import Around, FakePulls
from fakes_github import FakeGitHub
from fakes_store import FakeInbox, FakeRuns, fix_check, fix_issue

from bot.errors import CredentialsError, ForbiddenError, GitHubUnavailableError
from bot.events import Delivery
from bot.jobs import FollowUp, Job, JobOutcome, State, job_id
from bot.pipeline.intake.queueing import BUSY_SECONDS, LONGEST_BUSY, Intake, NotYetError
from bot.pipeline.intake.settle import RecoveredError
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.github import IssueFacts

ENDED = JobOutcome(State.FAILED, "The engine gave the job up")
REVIEW = FollowUp("d-5", 99, "octo/fizz", 12, "issue-7", "regreen/issue-7", 31, "maintainer", "Mind zero")


@dataclass
class Queue:
    """`JobEngine` whose jobs end when told to."""

    jobs: dict[str, Job] = field(default_factory=dict)
    outcomes: dict[str, JobOutcome] = field(default_factory=dict)

    def enqueue(self, job: Job) -> str:
        self.jobs.setdefault(job_id(job), job)
        return job_id(job)

    def outcome(self, identity: str) -> JobOutcome | None:
        return self.outcomes.get(identity)

    def job(self, identity: str) -> Job | None:
        return self.jobs.get(identity)

    def cancel(self, identity: str, outcome: JobOutcome) -> bool:
        raise AssertionError((identity, outcome))


class Desk:
    def __init__(self) -> None:
        self.queue, self.runs, self.github = Queue(), FakeRuns(), FakeGitHub()
        self.github.issues[7] = IssueFacts(is_open=True, labels=("regreen",))
        self.waits: list[float | Exception] = []
        site = Site("octo/fizz", self.github, Around().labels, FakePulls())
        self.inbox = FakeInbox()
        self.intake = Intake(self.queue, self.runs, lambda _repository, _installation: site, self.inbox, self._wait)

    def put_off(self, job: Job) -> None:
        """As the dispatcher does with a delivery whose job is to wait."""
        self.inbox.accept(Delivery(job.delivery_id, "check_suite", job.delivery_id.encode()))
        with pytest.raises(NotYetError) as later:
            self.intake.take(job)
        why = later.value
        self.inbox.postpone(job.delivery_id, why.reason, why.seconds, why.most, why.awaits)

    def _wait(self, _job: Job) -> float | None:
        if not self.waits:
            return None
        first = self.waits.pop(0)
        if isinstance(first, Exception):
            raise first
        return first


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_job_is_queued_under_its_id_however_often_it_comes(desk: Desk) -> None:
    taken = [desk.intake.take(fix_issue()) for _ in range(3)]
    assert {one.identity for one in taken} == {"octo/fizz:issue-7:d-1"}
    assert len(desk.queue.jobs) == 1


def test_a_label_while_a_run_works_is_no_second_job(desk: Desk) -> None:
    desk.intake.take(fix_issue())
    again = desk.intake.take(fix_issue(delivery="d-2"))
    assert again.identity is None
    assert "d-1 is queued or works" in again.said
    assert desk.github.comments == {}


def test_a_person_who_asks_while_a_run_works_is_told_once(desk: Desk) -> None:
    desk.intake.take(fix_issue())
    asked = replace(fix_issue(delivery="d-2"), asked=True)
    for _ in range(2):
        assert desk.intake.take(asked).identity is None
    assert len(desk.github.comments[7]) == 1


def test_a_job_that_has_to_wait_for_its_turn_says_so_once(desk: Desk) -> None:
    desk.github.issues[8] = desk.github.issues[7]
    desk.intake.take(fix_issue(7))
    assert desk.github.comments == {}
    for _ in range(2):
        desk.intake.take(fix_issue(8))
    assert list(desk.github.comments) == [8]
    (only,) = desk.github.comments[8]
    assert "queued; runs of this repository ahead of it: 1" in only.body
    assert desk.github.calls.count("put_comment") == 1


def test_a_review_while_a_run_works_waits_and_is_not_lost(desk: Desk) -> None:
    first = desk.intake.take(fix_issue()).identity
    assert first is not None
    with pytest.raises(NotYetError) as later:
        desk.intake.take(REVIEW)
    assert (later.value.seconds, later.value.most) == (BUSY_SECONDS, LONGEST_BUSY)
    desk.runs.ended(first, ENDED)
    assert desk.intake.take(REVIEW).identity == job_id(REVIEW)


def test_a_new_commits_red_checks_wait_and_the_same_commits_do_not(desk: Desk) -> None:
    first = desk.intake.take(fix_check()).identity
    assert desk.intake.take(fix_check()).identity == first
    with pytest.raises(NotYetError):
        desk.intake.take(replace(fix_check(), head_sha="b" * 40))


def test_a_run_that_its_engine_gave_up_without_a_word_does_not_block_its_subject(desk: Desk) -> None:
    first = desk.intake.take(fix_issue()).identity
    assert first is not None
    desk.queue.outcomes[first] = ENDED
    assert desk.intake.take(fix_issue(delivery="d-2")).identity == "octo/fizz:issue-7:d-2"
    assert desk.runs.outcomes == {first: ENDED}


def test_a_run_that_was_noted_and_never_queued_does_not_block_its_subject(desk: Desk) -> None:
    lost = replace(fix_check(), head_sha="b" * 40)
    desk.runs.started(job_id(lost), lost)
    assert desk.intake.take(fix_check()).identity == job_id(fix_check())
    assert list(desk.runs.jobs) == [job_id(fix_check())]


def test_a_job_is_queued_also_where_it_cannot_be_said_that_it_waits(desk: Desk) -> None:
    desk.github.issues[8] = desk.github.issues[7]
    desk.intake.take(fix_issue(7))
    desk.github.failures["put_comment"] = [GitHubUnavailableError("502", "Wait.")]
    assert desk.intake.take(fix_issue(8)).identity == job_id(fix_issue(8))
    assert desk.github.failures["put_comment"] == []
    assert list(desk.queue.jobs) == [job_id(fix_issue(7)), job_id(fix_issue(8))]


def test_a_job_whose_checks_are_at_work_is_decided_later_and_holds_no_place(desk: Desk) -> None:
    desk.waits = [12.5]
    with pytest.raises(NotYetError) as later:
        desk.intake.take(fix_check())
    assert later.value.seconds == 12.5
    assert desk.runs.jobs == {}
    assert desk.intake.take(fix_check()).identity


def test_of_the_deliveries_about_one_commit_one_asks_after_its_checks(desk: Desk) -> None:
    desk.waits = [10.0, 10.0]
    desk.put_off(fix_check())
    for number in range(20):
        other = replace(fix_check(), delivery_id=f"other-{number}")
        assert "waits for the same checks" in desk.intake.take(other).said
    desk.put_off(fix_check())
    assert desk.waits == []
    assert desk.intake.take(fix_check()).identity


def test_when_the_one_that_asks_came_to_nothing_another_asks(desk: Desk) -> None:
    desk.waits = [10.0]
    desk.put_off(fix_check())
    desk.inbox.decide(fix_check().delivery_id, "the policy switches it off", None)
    assert desk.intake.take(replace(fix_check(), delivery_id="other")).identity


def test_what_may_not_be_looked_at_is_not_waited_for(desk: Desk) -> None:
    desk.waits = [ForbiddenError("No access", "Grant it.")]
    assert desk.intake.take(fix_check()).identity
    desk.waits = [GitHubUnavailableError("502", "Wait.")]
    with pytest.raises(GitHubUnavailableError):
        desk.intake.take(fix_issue())


def test_credentials_that_are_wrong_for_a_while_use_up_no_id(desk: Desk) -> None:
    desk.waits = [CredentialsError("The App's key is wrong", "Mend it."), 10.0]
    with pytest.raises(CredentialsError):
        desk.intake.take(fix_check())
    assert desk.runs.jobs == {}
    with pytest.raises(NotYetError):
        desk.intake.take(fix_check())


def test_a_commit_that_is_not_red_any_more_is_no_job_until_it_is_again(desk: Desk) -> None:
    desk.waits = [RecoveredError()]
    assert "not red any more" in desk.intake.take(fix_check()).said
    assert desk.intake.take(replace(fix_check(), delivery_id="d-9")).said == "queued"
