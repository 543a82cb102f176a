"""What people say about a pull request of ours, and how its branch goes on: the part of GitHub that reviews need."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.pipeline.ports.github import NewCommit


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """A submitted review; `state` is GitHub's word in capitals, `submitted` is in epoch seconds."""

    author: str
    state: str
    body: str
    submitted: float
    url: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on lines of the diff. `line` counts from 1 in the head as it is now, 0 where it is not there any more.

    `thread` is the id of the comment that began its thread, its own for the first one. Times are in epoch seconds.
    `ours` says that the App wrote it.
    """

    remark_id: int
    thread: int
    review: int
    author: str
    path: str
    line: int
    hunk: str
    body: str
    created: float
    updated: float
    ours: bool = False


class Threads(Protocol):
    """What is said about one repository's pull requests. Every method raises what those of `GitHub` do."""

    def review(self, pull_request: int, review: int) -> ReviewFacts | None:
        """A review, `None` where it is gone."""
        ...

    def remarks(self, pull_request: int) -> tuple[Remark, ...]:
        """The comments on a pull request's diff, at most the latest 300, oldest first; bodies and hunks are cut."""
        ...

    def answer(self, pull_request: int, thread: int, marker: str, body: str) -> str:
        """Write the App's one comment with this marker into a thread, or edit it in place; returns its web address."""
        ...

    def text(self, pull_request: int) -> str:
        """The text that a pull request begins with."""
        ...

    def rewrite(self, pull_request: int, body: str) -> None:
        """Replace that text of one of our own pull requests. Raises `ForbiddenError` for anybody else's."""
        ...

    def changed(self, pull_request: int) -> tuple[str, ...]:
        """The paths that a pull request changes, of renamed files both, at most 1,000, sorted."""
        ...


class Merging(StrEnum):
    """What became of a merge of the base."""

    MERGED = "merged"
    CURRENT = "current"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Merged:
    """How it went, and the commit that the branch points to now."""

    how: Merging
    head: str


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a commit's trailer names."""

    login: str
    email: str

    def __str__(self) -> str:
        """As a trailer has it."""
        return f"{self.login} <{self.email}>"


class Branches(Protocol):
    """How our own branches go on; nobody's commit is ever lost. Every method raises what those of `GitHub` do."""

    def advance(self, new: NewCommit) -> str:
        """Make a commit on top of `new.parent`, which the branch must still point to; returns its id.

        A branch that points to exactly this commit already is left as it is. Raises `BranchMovedError` where the
        branch went on meanwhile, `NotFoundError` where it is gone. The branch is never forced.
        """
        ...

    def merge(self, branch: str, base: str, message: str) -> Merged:
        """Merge a base branch into one of our branches, by a commit with two parents. A conflict changes nothing."""
        ...

    def person(self, login: str) -> Person | None:
        """A person by login, the App itself for none, with the address that GitHub gives who shows none.

        `None` for nobody.
        """
        ...
