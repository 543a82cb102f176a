"""What the pipeline needs from the world. Each method call is one recorded step: small, portable, idempotent."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.events import Delivery
from bot.jobs import Job, JobOutcome
from bot.repair.facts import Facts
from bot.repair.ports import Clock, Journal, Workspace
from bot.repair.roles import Models
from bot.repair.types import Base, BudgetLimits, Patch
from bot.repair.written import WrittenTest
from sandbox.spec import Egress, Given, Tree


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


@dataclass(frozen=True, slots=True)
class PullRequest:
    """One of our pull requests."""

    number: int
    url: str
    head_branch: str
    is_open: bool
    merged: bool


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
    """What a commit on a new branch is made of."""

    branch: str
    parent: str
    message: str
    patch: Patch


class CheckState(StrEnum):
    """Where a check run stands, with the conclusion that GitHub shows when it has ended."""

    IN_PROGRESS = "in_progress"
    SUCCESS = "success"
    NEUTRAL = "neutral"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The bot's check run on a commit; one for each `external_id`, edited in place."""

    head_sha: str
    external_id: str
    state: CheckState
    title: str
    summary: str


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
        """A person's live permission level; `NONE` for somebody who is no collaborator."""
        ...

    def file(self, path: str, ref: str) -> bytes | None:
        """One file of a commit or branch, at most 1 MiB, `None` where there is none."""
        ...

    def issue(self, number: int) -> IssueFacts:
        """An issue as it is now."""
        ...

    def branch_head(self, branch: str) -> str | None:
        """The commit that a branch points to, `None` where the branch is gone."""
        ...

    def put_comment(self, issue: int, marker: str, body: str) -> str:
        """Write the App's one comment that carries `marker`, or edit it in place; returns its web address."""
        ...

    def put_check(self, report: CheckReport) -> str:
        """Create or edit the App's check run with this `external_id`; returns its web address."""
        ...

    def failed_jobs(self, suite_id: int) -> tuple[FailedJob, ...]:
        """The failed check runs of a suite, at most 10, each log capped to its last 200,000 characters."""
        ...

    def pull_requests(self, marker: str) -> tuple[PullRequest, ...]:
        """The App's own pull requests whose body carries `marker`, open or closed, newest first."""
        ...

    def commit(self, new: NewCommit) -> str:
        """Make the commit through the Git Data API and point the branch at it; returns its id.

        A branch that already holds exactly this commit is left as it is. A branch that holds anything else raises
        `GitHubError`: nobody's commits are overwritten.
        """
        ...

    def open_pull_request(self, new: NewPullRequest, marker: str) -> PullRequest:
        """Open the pull request, or return the open one of ours that carries `marker`."""
        ...


class Sources(Protocol):
    """Brings commits to this machine: a bare mirror on the host, never a checkout."""

    def fetch(self, repository: str, commit: str) -> None:
        """Make the commit readable here. Raises `FetchError`, `BranchMissingError`, `NoRoomError`."""
        ...


class Trees(Protocol):
    """Reads whole trees for the workspace. Not a recorded step: a tree is named by its commit and read where needed."""

    def tree(self, repository: str, commit: str) -> Tree:
        """Every file of the commit, exactly as stored: no filters, no attributes, no submodules.

        Brought here first where it is missing. Raises what `Sources.fetch` raises, and `TreeError` above 512 MiB or
        200,000 files.
        """
        ...


class Environments(Protocol):
    """Finds out how a repository is tested, and gets that ready."""

    def prepare(self, repository: str, commit: str, given: Given) -> Base:
        """Detect the recipe (what is given wins) and build or find its environment.

        Raises `SetUpError` with the log's last lines, `TreeError`, `NoRoomError`, `EngineDownError`.
        """
        ...

    def egress(self) -> tuple[Egress, ...]:
        """What the set-ups of this job asked of the network since the last call, at most some hundreds."""
        ...


class Reviews(Protocol):
    """The tests that were shown for a person's word on this job's subject, kept where nobody at GitHub reaches."""

    def keep(self, test: WrittenTest) -> str:
        """Keep a test, durable when this returns, and return its digest; the same one again changes nothing.

        Raises `StoreError`, `NoRoomError`.
        """
        ...

    def kept(self) -> tuple[WrittenTest, ...]:
        """The tests that were kept, oldest first. Raises `StoreError` for one that was changed or is damaged."""
        ...


@dataclass(frozen=True, slots=True)
class LoopPorts:
    """What measuring and repairing need, with or without GitHub."""

    workspace: Workspace
    models: Models
    clock: Clock
    journal: Journal


@dataclass(frozen=True, slots=True)
class Ports:
    """The world as one job sees it. The engine wraps each of these, so that each call is recorded."""

    github: GitHub
    sources: Sources
    environments: Environments
    workspace: Workspace
    models: Models
    clock: Clock
    journal: Journal
    reviews: Reviews

    @property
    def loop(self) -> LoopPorts:
        """The part that the repair loop acts through."""
        return LoopPorts(self.workspace, self.models, self.clock, self.journal)


@dataclass(frozen=True, slots=True)
class FixSettings:
    """What the operator decided, as far as a job needs to know it."""

    budget: BudgetLimits
    draft: bool
    facts: Facts = field(default_factory=Facts)


class Inbox(Protocol):
    """The deliveries table: the acknowledgement of a webhook is one insert here."""

    def accept(self, delivery: Delivery) -> bool:
        """Record the delivery unless its id is known; `False` says that it was. Durable when this returns."""
        ...

    def pending(self, limit: int) -> tuple[Delivery, ...]:
        """Deliveries that nobody decided yet and whose time has come, oldest first."""
        ...

    def decide(self, delivery_id: str, decision: str, identity: str | None) -> None:
        """Record what was decided: the reason of an `Ignore`, or a job's id."""
        ...

    def postpone(self, delivery_id: str, reason: str, seconds: float) -> None:
        """Try this delivery again later."""
        ...


class Runs(Protocol):
    """The runs table: what operators and the demo look at."""

    def started(self, identity: str, job: Job) -> None:
        """Note that a job was queued; a second call changes nothing."""
        ...

    def ended(self, identity: str, outcome: JobOutcome) -> None:
        """Note how it ended."""
        ...


PortsFor = Callable[[Job], Ports]
"""Builds the ports of one job: GitHub narrowed to its repository and installation, a journal of its own."""
