"""What the stand-in remembers: mutable records, changed only under the state's lock."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.demo.accounts import App, User
from bot.demo.git_store import GitStore


@dataclass(slots=True)
class Label:
    """A repository's label; `color` is six hexadecimal digits."""

    id: int
    name: str
    color: str
    description: str | None = None


@dataclass(slots=True)
class Reaction:
    """One reaction on an issue or comment."""

    id: int
    user: User
    content: str
    created: datetime


@dataclass(slots=True)
class Comment:
    """A comment; `via_app` says that an installation token wrote it."""

    id: int
    issue: int
    author: User
    body: str
    created: datetime
    updated: datetime
    via_app: bool = False
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True)
class Review:
    """A review; `state` in REST's words. A pending one is seen by its author only and has no `submitted`."""

    id: int
    author: User
    body: str
    state: str
    commit: str
    submitted: datetime | None = None
    via_app: bool = False


@dataclass(slots=True)
class ReviewComment:
    """A comment on a line of a diff, or with `reply_to` an answer to one; without `line` it is about the whole file.

    `line` counts in the file of `commit` (its parent's, where `side` is LEFT), `position` in the patch.
    """

    id: int
    review: int
    author: User
    body: str
    path: str
    commit: str
    hunk: str
    created: datetime
    updated: datetime
    line: int | None = None
    start_line: int | None = None
    side: str = "RIGHT"
    position: int = 1
    reply_to: int | None = None
    via_app: bool = False
    resolved: bool = False
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True)
class Pull:
    """What makes an issue a pull request. `reviewers` are logins; `fork` is where the head is, if one."""

    head: str
    base: str
    head_sha: str
    base_sha: str
    draft: bool = False
    fork: str = ""
    reviews: list[Review] = field(default_factory=list)
    remarks: list[ReviewComment] = field(default_factory=list)
    reviewers: list[str] = field(default_factory=list)
    merged: datetime | None = None
    merged_by: User | None = None
    merge_commit: str | None = None


@dataclass(slots=True)
class Issue:
    """An issue or, with `pull`, a pull request: both share one row of numbers."""

    id: int
    number: int
    title: str
    body: str | None
    author: User
    created: datetime
    updated: datetime
    via_app: bool = False
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    state: str = "open"
    state_reason: str | None = None
    closed: datetime | None = None
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    pull: Pull | None = None


@dataclass(slots=True)
class Status:
    """A commit status; the newest of a context counts."""

    id: int
    sha: str
    context: str
    state: str
    description: str | None
    target_url: str | None
    creator: User
    created: datetime


@dataclass(slots=True)
class CheckSuite:
    """One App's checks on one commit. That of GitHub Actions is a workflow run of the same id.

    `scripted` says how the next attempts end: a conclusion, and jobs with name, conclusion and log.
    """

    id: int
    app: App
    head_sha: str
    head_branch: str | None
    before: str | None
    created: datetime
    updated: datetime
    status: str = "queued"
    conclusion: str | None = None
    attempt: int = 1
    event: str = "push"
    workflow: str = "CI"
    scripted: list[tuple[str, list[tuple[str, str, str | None]]]] = field(default_factory=list)


@dataclass(slots=True)
class CheckRun:
    """One check. Those of GitHub Actions are jobs of the same id, with a log."""

    id: int
    suite: int
    app: App
    name: str
    head_sha: str
    status: str
    started: datetime
    conclusion: str | None = None
    completed: datetime | None = None
    external_id: str | None = None
    details_url: str | None = None
    output: dict[str, str | None] = field(default_factory=dict)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)
    log: str | None = None
    attempt: int = 1


@dataclass(slots=True)
class Repository:
    """A repository: its git store, and what GitHub keeps beside it. `collaborators` maps login → level.

    `source` is the full name of what a fork was made of; `protected` are patterns of branches that nobody pushes to.
    """

    id: int
    owner: User
    name: str
    git: GitStore
    created: datetime
    description: str = ""
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    collaborators: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    suites: dict[int, CheckSuite] = field(default_factory=dict)
    runs: dict[int, CheckRun] = field(default_factory=dict)
    statuses: list[Status] = field(default_factory=list)
    source: str = ""
    protected: list[str] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """Owner/name."""
        return f"{self.owner.login}/{self.name}"

    def level(self, user: User) -> str:
        """The user's level: the owner is admin, anybody may read what is public."""
        if user.login == self.owner.login:
            return "admin"
        return self.collaborators.get(user.login, "none" if self.private else "read")


@dataclass(frozen=True, slots=True)
class RequestEntry:
    """One line of the request log; status 0 is a dropped connection, `operation` is empty outside REST."""

    method: str
    path: str
    status: int
    operation: str = ""


@dataclass(frozen=True, slots=True)
class Violation:
    """A request or response that GitHub's description refuses."""

    kind: str
    operation: str
    where: str
    problems: tuple[str, ...]

    def __str__(self) -> str:
        """One readable line."""
        return f"{self.kind} {self.operation} ({self.where}): {'; '.join(self.problems)}"
