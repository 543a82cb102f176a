from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from fakes_desk import dispatcher
from fakes_store import FakeInbox, FakeRuns
from payloads import commented, delivery, labeled, suite
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from bot.engine.inline import InlineEngine
from bot.errors import CredentialsError, ForbiddenError, GitHubUnavailableError, NotFoundError, RegreenError, StoreError
from bot.events import Delivery
from bot.jobs import FixCheck, FixIssue, Job, JobOutcome, State, job_id
from bot.pipeline.intake.dispatch import FIRST_DELAY
from bot.pipeline.ports.github import GitHub, IssueFacts, Permission
from bot.pipeline.ports.store import LONGEST_DELAY

OUTCOME = JobOutcome(State.GREEN, "Nothing to fix")


@dataclass
class LookedUpGitHub:
    """The questions that deciding asks; counts them, and fails them with `failures` first."""

    policy: bytes | None = None
    level: Permission = Permission.WRITE
    failures: list[Exception] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def file(self, path: str, ref: str) -> bytes | None:
        self.asked.append(f"{path}@{ref}")
        if self.failures:
            raise self.failures.pop(0)
        return self.policy

    def permission(self, login: str) -> Permission:
        self.asked.append(login)
        return self.level

    def issue(self, number: int) -> IssueFacts:
        self.asked.append(f"#{number}")
        return IssueFacts(is_open=True, labels=("regreen",))


class Desk:
    """A dispatcher over fakes, and what came of it."""

    def __init__(self) -> None:
        self.inbox = FakeInbox()
        self.github = LookedUpGitHub()
        self.runs = FakeRuns()
        self.ran: list[Job] = []

        def run(job: Job) -> JobOutcome:
            self.ran.append(job)
            return self.runs.ended(job_id(job), OUTCOME)

        self.dispatcher = dispatcher(self.inbox, InlineEngine(run), self.runs, cast("GitHub", self.github))

    def receive(self, payload: Any, event: str = "issues", name: str = "d-1") -> str:
        self.inbox.accept(delivery(payload, event, name))
        self.dispatcher.step()
        return self.inbox.decisions.get(name, ("undecided", None))[0]


def again(second: int) -> Any:
    """The label put on again at another second."""
    return labeled(issue=labeled()["issue"] | {"updated_at": f"2026-11-30T00:00:{second:02}Z"})


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_each_delivery_that_is_looked_at_is_counted_by_what_came_of_it_and_its_lines_name_it(desk: Desk) -> None:
    told: list[tuple[str, str]] = []
    desk.dispatcher = replace(desk.dispatcher, decided=lambda event, outcome: told.append((event, outcome)))
    desk.github.failures.append(ValueError("unforeseen"))
    with capture_logs([merge_contextvars]) as logs:
        desk.receive(labeled())
    assert told == [("issues", "postponed")]
    assert {line.get("delivery") for line in logs} == {"d-1"}


def test_a_label_by_a_writer_is_queued_once_under_an_id_from_its_delivery(desk: Desk) -> None:
    assert desk.receive(labeled()) == "queued"
    assert desk.inbox.decisions["d-1"] == ("queued", "octo/fizz:issue-7:d-1")
    assert [type(job) for job in desk.ran] == [FixIssue]
    assert list(desk.runs.jobs) == ["octo/fizz:issue-7:d-1"]
    assert desk.dispatcher.step() == 0


def test_a_red_suite_is_queued_without_asking_for_a_permission(desk: Desk) -> None:
    assert desk.receive(suite(), "check_suite") == "queued"
    assert [type(job) for job in desk.ran] == [FixCheck]
    assert desk.github.asked == [".github/regreen.yml@main"]


def test_a_replayed_delivery_starts_nothing_and_a_label_put_on_again_does(desk: Desk) -> None:
    for name in ("d-1", "d-2", "d-3"):
        desk.receive(labeled(), name=name)
    assert len(desk.ran) == 1
    assert desk.receive(again(2), name="d-4") == "queued"
    assert [job.delivery_id for job in desk.ran] == ["d-1", "d-4"]


def test_a_suite_that_is_run_again_or_another_of_its_commit_runs_no_second_job(desk: Desk) -> None:
    def rerun(second: int, **changes: Any) -> str:
        when = {"updated_at": f"2026-11-30T00:00:{second:02}Z"}
        return desk.receive(suite(**when, **changes), "check_suite", f"d-{second}")

    assert [rerun(second) for second in range(5)] == ["queued"] * 5
    assert len(desk.ran) == len(desk.runs.jobs) == 1
    assert rerun(5, head_sha="b" * 40) == rerun(6, id=6) == "queued"
    assert len(desk.ran) == len(desk.runs.jobs) == 2


@pytest.mark.parametrize(
    ("payload", "event"),
    [
        (labeled(action="opened"), "issues"),
        (labeled(sender={"login": "Regreen[bot]", "type": "Bot"}), "issues"),
        (labeled(installation=None), "issues"),
        (commented("thank you"), "issue_comment"),
        (commented(sender={"login": "regreen[bot]", "type": "Bot"}), "issue_comment"),
        (commented(action="edited"), "issue_comment"),
        (suite(conclusion="success"), "check_suite"),
        (suite(app={"id": 42}), "check_suite"),
        (suite(head_branch=None), "check_suite"),
    ],
)
def test_what_cannot_lead_to_a_job_costs_no_request(desk: Desk, payload: Any, event: str) -> None:
    assert desk.receive(payload, event) not in {"queued", "undecided"}
    assert desk.github.asked == []


def test_the_permission_is_asked_for_only_when_the_label_fits(desk: Desk) -> None:
    assert desk.receive(labeled(label={"name": "bug"})) == "another label"
    assert "maintainer" not in desk.github.asked


@pytest.mark.parametrize("level", [Permission.NONE, Permission.READ, Permission.TRIAGE])
def test_somebody_who_may_not_write_starts_nothing(desk: Desk, level: Permission) -> None:
    desk.github.level = level
    assert "may not write" in desk.receive(labeled())
    assert desk.ran == []


def test_an_approval_is_asked_for_its_permission_and_queued_once(desk: Desk) -> None:
    desk.github.level = Permission.TRIAGE
    assert "may not write" in desk.receive(commented(), "issue_comment")
    desk.github.level = Permission.WRITE
    assert desk.receive(commented("/regreen approve\nyes"), "issue_comment", "d-2") == "queued"
    assert [(type(job), job.delivery_id) for job in desk.ran] == [(FixIssue, "d-2")]
    assert desk.github.asked.count("maintainer") == 2


def test_the_policy_file_of_the_default_branch_decides(desk: Desk) -> None:
    desk.github.policy = b"enabled: false\n"
    assert "switches the bot off" in desk.receive(labeled())


def test_a_broken_policy_stops_a_red_check_and_lets_a_label_through_to_be_told(desk: Desk) -> None:
    desk.github.policy = b"budget: 7\nlabels: x\n"
    assert "line 2" in desk.receive(suite(), "check_suite")
    assert desk.receive(again(2), name="d-2") == "queued"
    desk.github.level = Permission.READ
    assert "may not write" in desk.receive(again(3), name="d-3")


@pytest.mark.parametrize("error", [NotFoundError("It is gone", "Look."), ForbiddenError("No access", "Grant it.")])
def test_a_repository_that_the_app_may_not_read_is_ignored_with_the_reason(desk: Desk, error: RegreenError) -> None:
    desk.github.failures = [error]
    assert error.cause in desk.receive(labeled())


def test_a_payload_that_is_not_as_documented_is_ignored_with_the_reason(desk: Desk) -> None:
    desk.inbox.accept(Delivery("d-1", "issues", b"["))
    desk.dispatcher.step()
    assert "not JSON" in desk.inbox.decisions["d-1"][0]


@pytest.mark.parametrize(
    "error", [GitHubUnavailableError("502", "Wait."), CredentialsError("401", "Mend it."), KeyError("a fault of ours")]
)
def test_a_failure_puts_one_delivery_off_and_the_others_go_on(desk: Desk, error: Exception) -> None:
    desk.github.failures = [error]
    desk.inbox.accept(delivery(labeled(), "issues", "a"))
    desk.inbox.accept(delivery(again(2), "issues", "b"))
    assert desk.dispatcher.step() == 2
    assert list(desk.inbox.decisions) == ["b"]
    desk.inbox.now.seconds += FIRST_DELAY
    assert desk.dispatcher.step() == 1
    assert desk.inbox.decisions["a"][0] == "queued"


def test_each_failure_waits_twice_as_long_up_to_a_limit(desk: Desk) -> None:
    desk.github.failures = [GitHubUnavailableError("502", "Wait.") for _ in range(12)]
    desk.inbox.accept(delivery(labeled()))
    for _ in range(12):
        desk.dispatcher.step()
        desk.inbox.now.seconds += LONGEST_DELAY
    delays = [seconds for _, seconds in desk.inbox.postponed["d-1"]]
    assert delays[:3] == [FIRST_DELAY, 2 * FIRST_DELAY, 4 * FIRST_DELAY]
    assert delays[-1] == LONGEST_DELAY == max(delays)
    desk.dispatcher.step()
    assert desk.inbox.decisions["d-1"][0] == "queued"


def test_a_crash_between_queueing_and_deciding_changes_nothing(desk: Desk) -> None:
    desk.inbox.undecided = True
    with pytest.raises(StoreError):
        desk.receive(labeled())
    assert len(desk.ran) == 1
    desk.inbox.undecided = False
    assert desk.dispatcher.step() == 1
    assert desk.inbox.decisions["d-1"] == ("queued", "octo/fizz:issue-7:d-1")
    assert len(desk.ran) == 1
    assert len(desk.runs.jobs) == 1


def test_a_batch_is_worked_through_oldest_first(desk: Desk) -> None:
    for number in range(3):
        issue = labeled()["issue"] | {"number": number + 1}
        desk.inbox.accept(delivery(labeled(issue=issue), "issues", f"d-{number}"))
    assert desk.dispatcher.step() == 3
    assert [job.issue for job in desk.ran if isinstance(job, FixIssue)] == [1, 2, 3]
