"""Events of payloads, and decisions on them, for tests to ask in one line."""

from typing import Any

from payloads import SHA, delivery

from bot.events import Event, PullRequest, parse
from bot.jobs import FixIssue
from bot.triggers import Known, Operator, decide

OPERATOR = Operator(app_id=42, label="regreen", login="regreen[bot]")
ISSUE_JOB = FixIssue("d-1", 99, "octo/fizz", "main", 7, "It is red", "Look", "maintainer", 1)
PULL = PullRequest(
    number=12,
    author="regreen[bot]",
    mark="<!-- regreen:subject=issue-7 -->",
    head_branch="regreen/issue-7",
    head_sha=SHA,
    base_branch="main",
    is_open=True,
    is_fork=False,
)
WRITER = Known(may_write=True)


def event(payload: Any, name: str = "issues") -> Event:
    return parse(delivery(payload, name))


def decided(found: Event, known: Known = WRITER) -> Any:
    return decide(found, "d-1", OPERATOR, known)
