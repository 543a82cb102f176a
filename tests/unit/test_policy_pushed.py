"""A push that changes the policy file has it checked: on that commit, with each fault on its lines."""

from typing import Any

import pytest
from fakes_desk import dispatcher
from fakes_github import FakeGitHub
from fakes_store import FakeInbox, FakeRuns
from payloads import delivery, pushed

from bot.engine.inline import InlineEngine
from bot.errors import ForbiddenError
from bot.jobs import Job, JobOutcome
from bot.pipeline.ports.github import CheckState
from bot.policy import PATH
from sandbox.spec import File


def _no_job(job: Job) -> JobOutcome:
    raise AssertionError(job)


class Desk:
    """One repository with this policy file at the commit that is pushed."""

    def __init__(self, policy: bytes) -> None:
        self.github = FakeGitHub(files={PATH: File(policy)})
        self.inbox, runs = FakeInbox(), FakeRuns()
        self.head = self.github.branches["main"]
        self.dispatcher = dispatcher(self.inbox, InlineEngine(_no_job), runs, self.github)

    def receive(self, *paths: str, delivery_id: str = "d-1", **changes: Any) -> str:
        self.inbox.accept(delivery(pushed(*paths, after=self.head, nonce=delivery_id, **changes), "push", delivery_id))
        self.dispatcher.step()
        return self.inbox.decisions[delivery_id][0]


def test_a_push_of_a_faulty_file_is_answered_by_a_check_run_on_its_commit() -> None:
    desk = Desk(b"draft: true\nlables: x\n")
    assert desk.receive("a.py", PATH) == "the policy file was checked"
    (check,) = desk.github.checks
    assert (check.head_sha, check.state) == (desk.head, CheckState.FAILURE)
    assert [(one.path, one.start_line) for one in check.annotations] == [(PATH, 2)]


def test_a_push_of_a_good_file_is_said_to_be_understood() -> None:
    desk = Desk(b"draft: true\n")
    desk.receive(PATH)
    assert [check.state for check in desk.github.checks] == [CheckState.SUCCESS]


def test_the_file_is_read_as_it_was_pushed_and_not_as_it_is_by_now() -> None:
    desk = Desk(b"lables: x\n")
    desk.github.add_commit("main", "corrected", {PATH: File(b"label: x\n")})
    desk.receive(PATH)
    assert [(check.head_sha, check.state) for check in desk.github.checks] == [(desk.head, CheckState.FAILURE)]


def test_the_same_push_told_twice_makes_one_check_run() -> None:
    desk = Desk(b"lables: x\n")
    for name in ("d-1", "d-2"):
        desk.receive(PATH, delivery_id=name)
    assert len(desk.github.checks) == 1


@pytest.mark.parametrize(("paths", "changes"), [(("a.py",), {}), ((PATH,), {"ref": "refs/heads/feature"})])
def test_other_pushes_check_nothing(paths: tuple[str, ...], changes: dict[str, Any]) -> None:
    desk = Desk(b"lables: x\n")
    desk.receive(*paths, **changes)
    assert desk.github.checks == []


def test_a_file_that_asks_for_a_dry_run_has_nothing_written_about_it() -> None:
    desk = Desk(b"dry_run: true\n")
    desk.receive(PATH)
    assert desk.github.checks == []


def test_a_check_run_that_may_not_be_written_holds_up_nothing() -> None:
    desk = Desk(b"lables: x\n")
    desk.github.failures["put_check"] = [ForbiddenError("checks: write is missing", "Grant it.")]
    assert desk.receive(PATH) == "the policy file was checked"
