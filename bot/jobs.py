"""Jobs, their identity, and the engine that runs them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FixIssue:
    """Fix what an issue describes; `title` and `body` as they were at the trigger.

    `repository_id` is GitHub's number, 0 in a job that was queued before there was one here. `approves` is set where
    `sender` approved a test that an earlier run had shown: the first digits of its digest, empty for the only one.
    """

    delivery_id: str
    installation_id: int
    repository: str
    default_branch: str
    issue: int
    title: str
    body: str
    sender: str
    repository_id: int = 0
    approves: str | None = None


@dataclass(frozen=True, slots=True)
class FixCheck:
    """Fix what turned a check suite red on a branch; `repository_id` is as in `FixIssue`."""

    delivery_id: str
    installation_id: int
    repository: str
    branch: str
    head_sha: str
    suite_id: int
    sender: str
    repository_id: int = 0


Job = FixIssue | FixCheck


def subject(job: Job) -> str:
    """What the job is about, within its repository: `issue-7` or `check-main`. Names the branch and the markers."""
    match job:
        case FixIssue():
            return f"issue-{job.issue}"
        case FixCheck():
            return f"check-{job.branch}"


def job_id(job: Job) -> str:
    """The same for the same request, whoever computes it and however often; the engine runs one id once.

    A label is a new request each time somebody puts it on, and so is a comment: its id is the delivery's. A red check
    is about a commit, and GitHub says again that it is red whenever somebody re-runs the suite: its id is the commit
    and the suite, so a re-run finds the run that is queued, that works, or that ended, and starts no second one; a new
    commit does. Each workflow has a suite of its own: those of one commit are jobs of their own, one after the other,
    and admission refuses the next once a pull request for the branch is open.
    """
    match job:
        case FixIssue():
            return f"{job.repository}:{subject(job)}:{job.delivery_id}"
        case FixCheck():
            return f"{job.repository}:{subject(job)}:{job.head_sha}-{job.suite_id}"


class State(StrEnum):
    """How a job ended; every job ends in exactly one of these."""

    PUBLISHED = "published"
    GREEN = "green"
    REFUSED = "refused"
    TEST_SHOWN = "test_shown"
    NOT_REPRODUCED = "not_reproduced"
    UNSOLVED = "unsolved"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The final state of a job, for the status comment, the store and whoever waits for it."""

    state: State
    headline: str
    stop: str = ""
    pull_request: int | None = None
    url: str = ""
    tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0


class JobEngine(Protocol):
    """Runs each job once, one at a time per repository, across restarts."""

    def enqueue(self, job: Job) -> str:
        """Queue the job under `job_id(job)` and return that id; a second call with the same job changes nothing."""
        ...

    def outcome(self, identity: str) -> JobOutcome | None:
        """The outcome of a finished job, `None` while it is queued or running or when nobody knows it."""
        ...
