"""Jobs, their identity, and the engine that runs them."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.moments import NEVER, Moment


@dataclass(frozen=True, slots=True)
class FixIssue:
    """Fix what an issue describes; `title` and `body` as they were at the trigger.

    `repository_id` is GitHub's number, 0 in a job that was queued before there was one here. `approves` is set where
    `sender` approved a test that an earlier run had shown: the first digits of its digest, empty for the only one.
    `asked` says that `sender` wants it by a command, though an earlier try failed or its pull request was closed. `at`
    is when what began it was said.
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
    asked: bool = False
    at: Moment = NEVER


@dataclass(frozen=True, slots=True)
class FixCheck:
    """Fix what turned a commit's checks red on a branch; `repository_id` and `asked` are as in `FixIssue`.

    `suite_id` is 0 where a commit status or a person began it. `pull_request` is the one whose head the commit is, 0
    for none; it may come from a fork, where `branch` is no branch of this repository. `about` is the subject of one of
    our own pull requests, where the red commit is on its branch: that subject's next attempt, no subject of its own.
    """

    delivery_id: str
    installation_id: int
    repository: str
    branch: str
    head_sha: str
    suite_id: int
    sender: str
    repository_id: int = 0
    pull_request: int = 0
    about: str = ""
    asked: bool = False
    at: Moment = NEVER


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Go on with one of our own pull requests, since a person said something about it.

    `about` is the subject that the pull request is of. `review` is the id of the review that began it, with all its
    comments; 0 for a command, a button or a thread. `text` is what `sender` said, as it was at the trigger; `asked` is
    as in `FixIssue`. `thread` is the one that `sender` opened again, as in `ThreadReopened`, 0 for none.
    """

    delivery_id: str
    installation_id: int
    repository: str
    pull_request: int
    about: str
    head_branch: str
    review: int
    sender: str
    text: str
    repository_id: int = 0
    asked: bool = False
    thread: int = 0
    at: Moment = NEVER


Job = FixIssue | FixCheck | FollowUp

_UNMARKABLE = re.compile(r"[^A-Za-z0-9._/-]")


def subject(job: Job) -> str:
    """What the job is about, within its repository: `issue-7`, `check-main` or `pull-12`.

    Names the branch and the markers, so it holds nothing that a marker cannot.
    """
    match job:
        case FixIssue():
            return f"issue-{job.issue}"
        case FollowUp():
            return job.about
        case FixCheck():
            return job.about or check_subject(job.branch, job.pull_request)


def begins_pull_request(job: Job) -> bool:
    """Whether its fix needs a pull request of its own in any case, not one that there is, or words alone."""
    return isinstance(job, FixIssue) or (isinstance(job, FixCheck) and not job.pull_request)


def check_subject(branch: str, pull_request: int = 0) -> str:
    """The subject of red checks: the pull request where there is one, since forks have branches of any name."""
    return f"pull-{pull_request}" if pull_request else f"check-{_UNMARKABLE.sub('_', branch).replace('--', '_')}"


def job_id(job: Job) -> str:
    """The same for the same request, whoever computes it and however often; the engine runs one id once.

    A label is a new request each time somebody puts it on, and so is a comment: its id is the delivery's. A red check
    is about a commit, and GitHub says that it is red once for each suite, workflow and status, and again whenever one
    is run again: its id is the commit, so each of these finds the run that is queued, that works, or that ended, and
    starts no second one; a new commit does. The run waits until all of them have ended, and looks at all that are red.
    A review is one follow-up, whichever of its deliveries comes first; every other word of a person is a request of its
    own.
    """
    name = f"{job.repository}:{subject(job)}"
    match job:
        case FixCheck(asked=False):
            return f"{name}:{job.head_sha}"
        case FollowUp(review=review) if review:
            return f"{name}:review-{review}"
        case _:
            return f"{name}:{job.delivery_id}"


class State(StrEnum):
    """How a job ended; every job ends in exactly one of these."""

    PUBLISHED = "published"
    GREEN = "green"
    REFUSED = "refused"
    TEST_SHOWN = "test_shown"
    NOT_REPRODUCED = "not_reproduced"
    UNSOLVED = "unsolved"
    FAILED = "failed"
    CANCELLED = "cancelled"


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

    def job(self, identity: str) -> Job | None:
        """The job that was queued under the id, `None` when nobody knows it."""
        ...

    def cancel(self, identity: str, outcome: JobOutcome) -> bool:
        """End a job in `outcome`, whose state is `CANCELLED`: out of turn, now, and for good, also over a restart.

        One that has ended stays as it ended, and so does the first cancellation. What the job runs is ended too.
        `False` says that a step of it is still under way that others can see, such as a comment being written: ask
        again before you say that it is over.
        """
        ...
