"""GitHub as the pipeline sees it: one repository's operations, and the values that they take and give."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.repair.types import Patch


class Permission(StrEnum):
    """A collaborator's level, as GitHub's permission endpoint says it."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"

    @property
    def may_write(self) -> bool:
        """Write or better."""
        return self in {Permission.WRITE, Permission.MAINTAIN, Permission.ADMIN}


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """What admission needs to know of a repository."""

    default_branch: str
    archived: bool
    disabled: bool
    fork: bool
    private: bool


@dataclass(frozen=True, slots=True)
class IssueFacts:
    """What admission needs to know of an issue now."""

    is_open: bool
    labels: tuple[str, ...]
    assignees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PullRequest:
    """One of our pull requests."""

    number: int
    url: str
    head_branch: str
    is_open: bool
    merged: bool


@dataclass(frozen=True, slots=True)
class OtherPull:
    """Somebody else's open pull request."""

    number: int
    url: str
    author: str


@dataclass(frozen=True, slots=True)
class FailedJob:
    """One failed check run of a suite, with the tail of its job log (capped, redirect followed without the token)."""

    name: str
    conclusion: str
    log: str


@dataclass(frozen=True, slots=True)
class NewPullRequest:
    """What a pull request is made of."""

    head: str
    base: str
    title: str
    body: str
    draft: bool


@dataclass(frozen=True, slots=True)
class NewCommit:
    """What a commit on a new branch is made of. `written` are the paths of new tests that were written for the job."""

    branch: str
    parent: str
    message: str
    patch: Patch
    written: tuple[str, ...] = ()


class CheckState(StrEnum):
    """Where a check run stands, with the conclusion that GitHub shows when it has ended."""

    IN_PROGRESS = "in_progress"
    SUCCESS = "success"
    NEUTRAL = "neutral"
    FAILURE = "failure"


class Level(StrEnum):
    """How GitHub shows an annotation."""

    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark on lines of a file, counted from 1, both included."""

    path: str
    start_line: int
    end_line: int
    level: Level
    message: str


@dataclass(frozen=True, slots=True)
class Button:
    """What a person may press on a check run; GitHub takes 20 characters of label and name, 40 of description."""

    label: str
    description: str
    name: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The bot's check run on a commit; one for each `external_id`, edited in place. At most 50 annotations are sent.

    `details_url` is where the whole run is shown, empty for GitHub's own page.
    """

    head_sha: str
    external_id: str
    state: CheckState
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()
    name: str = "Regreen"
    buttons: tuple[Button, ...] = ()
    details_url: str = ""


class GitHub(Protocol):
    """The operations on one repository, with a token minted at use and narrowed to it.

    What writes looks first for what an earlier try already made, through hidden markers in the App's own comments
    and pull requests or through content, so that a retry makes nothing twice.
    Every method raises `NotFoundError`, `ForbiddenError` or `GitHubUnavailableError`, the last only after retries.
    """

    def repository(self) -> RepositoryFacts:
        """The repository's facts."""
        ...

    def permission(self, login: str) -> Permission:
        """A person's permission level, at most a minute old; `NONE` for somebody who is no collaborator."""
        ...

    def file(self, path: str, ref: str) -> bytes | None:
        """One file of a commit or branch, at most 1 MiB, `None` where there is none."""
        ...

    def issue(self, number: int) -> IssueFacts:
        """An issue as it is now."""
        ...

    def closing(self, issue: int) -> tuple[OtherPull, ...]:
        """Open pull requests, not the App's, that say they close the issue; among the 300 that changed last."""
        ...

    def lacking(self) -> tuple[str, ...]:
        """The permissions that the App needs and this installation does not grant, as `contents: write`."""
        ...

    def branch_head(self, branch: str) -> str | None:
        """The commit that a branch points to, `None` where the branch is gone."""
        ...

    def put_comment(self, issue: int, marker: str, body: str, *, soon: bool = False) -> str:
        """Write the App's one comment that carries `marker`, or edit it in place; returns its web address.

        `soon` is for states in between: one may be written some seconds later, or be overtaken by the next.
        """
        ...

    def put_check(self, report: CheckReport) -> str:
        """Create or edit the App's check run with this `external_id`; returns its web address."""
        ...

    def failed_jobs(self, suite_id: int) -> tuple[FailedJob, ...]:
        """The failed check runs of a suite, at most 10, each log capped to its last 200,000 characters."""
        ...

    def pull_requests(self, marker: str) -> tuple[PullRequest, ...]:
        """The App's own pull requests for the subject that `marker` names, open or closed, newest first.

        By the marker in the body, on whatever line; where people took it out, by the branch that the App names so.
        """
        ...

    def commit(self, new: NewCommit) -> str:
        """Make the commit through the Git Data API and point the branch at it; returns its id.

        A branch that already holds exactly this commit is left as it is. A branch that holds anything else raises
        `GitHubError`: nobody's commits are overwritten.
        """
        ...

    def open_pull_request(self, new: NewPullRequest, marker: str) -> PullRequest:
        """Open the pull request, or return the open one of ours for the subject that `marker` names."""
        ...

    def ask_review(self, pull_request: int, reviewers: tuple[str, ...]) -> tuple[str, ...]:
        """Ask people, or teams as `organisation/team`, to review one of our pull requests; returns who could not be."""
        ...
