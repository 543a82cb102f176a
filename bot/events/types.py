"""Events as frozen values. Texts are as they were when GitHub sent them, cut, and without what a reader cannot see."""

from dataclasses import dataclass, field

MAX_TITLE = 1_000
MAX_BODY = 65_536
MAX_NAMES = 1_000
"""Repositories that one event of an installation may name; branches, pull requests and the like are at most 100."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook delivery as GitHub sent it, signature already checked.

    `received` is when it was recorded, in seconds since the epoch; 0 before that.
    """

    delivery_id: str
    event: str
    body: bytes
    received: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of an event; `full_name` is owner/name."""

    full_name: str
    repository_id: int
    default_branch: str
    installation_id: int


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as an event shows it, or as somebody looked it up.

    `mark` is the line of its body that names a subject, as the App's own ones do, empty for none. A fork's head is no
    branch of the repository, whatever its name.
    """

    number: int
    author: str
    mark: str
    head_branch: str
    head_sha: str
    base_branch: str
    is_open: bool
    is_fork: bool


@dataclass(frozen=True, slots=True)
class IssueLabeled:
    """`issues.labeled`: title and body as they were at that moment."""

    repository: Repository
    number: int
    title: str
    body: str
    label: str
    sender: str
    sender_is_bot: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class IssueUnlabeled:
    """`issues.unlabeled`."""

    repository: Repository
    number: int
    label: str
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class IssueEnded:
    """`issues.closed`, `issues.deleted`, `issues.transferred`: `how` is the action."""

    repository: Repository
    number: int
    how: str
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class IssueCommented:
    """`issue_comment.created`: title and body as they were at that moment, and what was commented, unstripped.

    `pull_request` says that the number is a pull request's; `author` and `mark` are of the issue, not of the comment.
    """

    repository: Repository
    number: int
    title: str
    body: str
    comment: str
    sender: str
    sender_is_bot: bool
    is_open: bool
    comment_id: int = 0
    pull_request: bool = False
    author: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class PullRequestLabeled:
    """`pull_request.labeled`, or `.unlabeled` where `removed`."""

    repository: Repository
    pull: PullRequest
    label: str
    removed: bool
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class PullRequestClosed:
    """`pull_request.closed`."""

    repository: Repository
    pull: PullRequest
    merged: bool
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`pull_request_review.submitted`: `verdict` is `changes_requested`, `commented` or `approved`."""

    repository: Repository
    pull: PullRequest
    review: int
    verdict: str
    text: str
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class ReviewCommented:
    """`pull_request_review_comment.created`: a line's comment, or an answer in its thread; each belongs to a review."""

    repository: Repository
    pull: PullRequest
    review: int
    comment_id: int
    text: str
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class ThreadReopened:
    """`pull_request_review_thread.unresolved`: `thread` is the id of the comment that began it."""

    repository: Repository
    pull: PullRequest
    thread: int
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class CommitChecked:
    """A `check_suite`, `workflow_run` or `check_run` that completed, or a commit `status`; `source` says which.

    `head_branch` is empty where GitHub names none, as for a fork's pull request. A status names every branch that holds
    its commit, in `branches`; it is of no suite and no App (0). `pull_requests` are those whose head the commit is.
    """

    repository: Repository
    source: str
    suite_id: int
    head_sha: str
    head_branch: str
    conclusion: str
    app_id: int
    sender: str
    branches: tuple[str, ...] = ()
    pull_requests: tuple[int, ...] = ()
    is_fork: bool = False


@dataclass(frozen=True, slots=True)
class CheckAsked:
    """A button on a check run, or a re-run of a check run or suite: `action` is the button's name, or `rerun`.

    GitHub sends it to the App that made the check run; `external_id` is what that App wrote there.
    """

    repository: Repository
    action: str
    app_id: int
    external_id: str
    head_sha: str
    head_branch: str
    pull_requests: tuple[int, ...]
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class Pushed:
    """`push` to the default branch. `paths` are those that it touched; `complete` says that no commit is left out."""

    repository: Repository
    head_sha: str
    paths: frozenset[str]
    complete: bool
    sender: str
    sender_is_bot: bool


@dataclass(frozen=True, slots=True)
class InstallationChanged:
    """`installation.*` and `installation_repositories.*`: what the App may reach now, or no longer.

    No repositories mean the whole installation. `how` is the action.
    """

    installation_id: int
    reachable: bool
    repositories: tuple[str, ...]
    how: str


@dataclass(frozen=True, slots=True)
class RepositoryLeft:
    """`repository.archived`, `.deleted`, `.renamed`, `.transferred`: nothing can be done under `former` any more."""

    installation_id: int
    former: str
    how: str


@dataclass(frozen=True, slots=True)
class Unhandled:
    """A well-formed delivery of a kind or action that nothing is done for, with the reason."""

    reason: str


InRepository = (
    IssueLabeled
    | IssueUnlabeled
    | IssueEnded
    | IssueCommented
    | PullRequestLabeled
    | PullRequestClosed
    | Reviewed
    | ReviewCommented
    | ThreadReopened
    | CommitChecked
    | CheckAsked
    | Pushed
)
"""The events that GitHub can be asked about, by their `repository`."""
Event = InRepository | InstallationChanged | RepositoryLeft | Unhandled
