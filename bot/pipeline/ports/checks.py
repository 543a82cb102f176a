"""What a commit's checks say, how its pull request stands, and fixes on its lines: the part that red CI needs."""

from dataclasses import dataclass
from typing import Protocol

RED = frozenset({"failure", "timed_out", "startup_failure"})
"""Conclusions that a fix can answer; `cancelled`, `stale`, `action_required` and the rest say nothing of the code."""
RED_STATUSES = frozenset({"failure", "error"})


@dataclass(frozen=True, slots=True)
class Suite:
    """Another App's check suite. `runs` counts its check runs, `updated` is in epoch seconds; see GitHub's REST."""

    suite_id: int
    app: str
    status: str
    conclusion: str
    runs: int
    updated: float

    @property
    def red(self) -> bool:
        """Whether it ended in a way that a fix can answer."""
        return self.status == "completed" and self.conclusion in RED


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """A run of a workflow at GitHub Actions."""

    run_id: int
    name: str
    status: str
    updated: float


@dataclass(frozen=True, slots=True)
class CommitStatus:
    """The latest status of one context, as older CI services write it."""

    context: str
    state: str
    description: str
    updated: float


@dataclass(frozen=True, slots=True)
class CommitChecks:
    """All that has been said of a commit, without what this App said itself."""

    suites: tuple[Suite, ...] = ()
    runs: tuple[WorkflowRun, ...] = ()
    statuses: tuple[CommitStatus, ...] = ()

    @property
    def red_suites(self) -> tuple[int, ...]:
        """The ids of the suites that failed."""
        return tuple(suite.suite_id for suite in self.suites if suite.red)

    @property
    def red_statuses(self) -> tuple[CommitStatus, ...]:
        """The statuses that failed."""
        return tuple(status for status in self.statuses if status.state in RED_STATUSES)

    @property
    def red(self) -> bool:
        """Whether anything failed."""
        return bool(self.red_suites or self.red_statuses)


@dataclass(frozen=True, slots=True)
class PullHead:
    """A pull request as it is now; `fork` says that its head is in another repository.

    `base_sha` is where its base branch points to now. `merge_sha` is the commit that GitHub made to try the merge,
    empty where there is a conflict or none was made yet.
    """

    number: int
    head_branch: str
    head_sha: str
    base_branch: str
    base_sha: str
    fork: bool
    is_open: bool
    author: str
    merge_sha: str = ""


@dataclass(frozen=True, slots=True)
class Distance:
    """How two commits lie: the head is `ahead` of where they parted, the base went on by `behind`."""

    ahead: int
    behind: int
    parted: str


@dataclass(frozen=True, slots=True)
class Against:
    """The pull request whose head is red, and how that lies to its base branch."""

    pull: PullHead
    distance: Distance


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Lines that shall stand in place of lines `start` to `end` of the head's file, counted from 1, both included."""

    path: str
    start: int
    end: int
    lines: tuple[str, ...]


class Checks(Protocol):
    """The operations on one repository's checks. Every method raises what those of `GitHub` do."""

    def of_commit(self, sha: str) -> CommitChecks:
        """The commit's suites, workflow runs and statuses, at most 100 of each.

        What the App may not read, for want of a permission, counts as not there.
        """
        ...

    def pull_request(self, number: int) -> PullHead:
        """Anybody's pull request."""
        ...

    def distance(self, base: str, head: str) -> Distance:
        """How a commit or branch lies to another; a fork's head is found by its id."""
        ...

    def suggest(self, number: int, sha: str, marker: str, suggestions: tuple[Suggestion, ...]) -> str:
        """Write them as one review that neither approves nor asks for changes; returns its web address.

        A review of the App's that carries `marker` is left as it is. Empty where GitHub shows not all of these lines
        in the pull request's diff, and takes none then.
        """
        ...
