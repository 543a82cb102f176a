"""`GitHub` in memory, with the world around it as plain attributes; passes the same contract suite as the adapter."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from bot.errors import BranchTakenError, GitHubError, NotFoundError
from bot.own_pulls import is_of, mark_of
from bot.pipeline.closing import closes
from bot.pipeline.ports.github import (
    CheckReport,
    FailedJob,
    IssueFacts,
    NewCommit,
    NewPullRequest,
    OtherPull,
    Permission,
    PullRequest,
    RepositoryFacts,
)
from bot.pipeline.reports.markdown import is_marked
from sandbox.spec import File, Tree

WEB = "https://github.test/o/r"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FakeComment:
    """Anybody's comment."""

    author: str
    body: str


@dataclass(frozen=True, slots=True)
class FakePull:
    """Anybody's pull request."""

    author: str
    new: NewPullRequest
    pull: PullRequest


@dataclass(frozen=True, slots=True)
class FakeCommit:
    """A commit with its whole tree; `parent` is empty for the first, `second` for all but merges."""

    parent: str
    message: str
    tree: Tree
    second: str = ""

    @property
    def sha(self) -> str:
        """Forty digits that depend on the content alone."""
        content = repr((self.parent, self.second, self.message, sorted(self.tree.items()))).encode()
        return hashlib.sha1(content).hexdigest()  # noqa: S324 - names, not safety


class FakeGitHub:
    """One repository. Set `failures[method]` to errors that its next calls raise; `calls` lists what was called."""

    def __init__(self, bot_login: str = "regreen[bot]", files: Tree | None = None) -> None:
        self.bot_login = bot_login
        self.facts = RepositoryFacts("main", archived=False, disabled=False, fork=False, private=False)
        self.permissions: dict[str, Permission] = {}
        self.issues: dict[int, IssueFacts] = {}
        self.comments: dict[int, list[FakeComment]] = defaultdict(list)
        self.pulls: list[FakePull] = []
        self.checks: list[CheckReport] = []
        self.jobs: dict[int, tuple[FailedJob, ...]] = {}
        self.commits: dict[str, FakeCommit] = {}
        self.branches: dict[str, str] = {}
        self.failures: dict[str, list[GitHubError]] = defaultdict(list)
        self.calls: list[str] = []
        self.ungranted: tuple[str, ...] = ()
        self.reviewers: dict[int, list[str]] = defaultdict(list)
        self.add_commit("main", "start", files or {})

    def add_commit(self, branch: str, message: str, tree: Tree) -> str:
        """Put a commit onto a branch, as somebody's push does."""
        made = FakeCommit(self.branches.get(branch, ""), message, dict(tree))
        self.commits[made.sha] = made
        self.branches[branch] = made.sha
        return made.sha

    def repository(self) -> RepositoryFacts:
        self._enter("repository")
        return self.facts

    def permission(self, login: str) -> Permission:
        self._enter("permission")
        return self.permissions.get(login, Permission.NONE)

    def file(self, path: str, ref: str) -> bytes | None:
        self._enter("file")
        commit = self.commits.get(self.branches.get(ref, ref))
        found = commit.tree.get(path) if commit else None
        if found is not None and len(found.data) > 1 << 20:
            raise GitHubError(f"{path} is larger than 1 MiB", "Make the file smaller.")
        return found.data if found else None

    def issue(self, number: int) -> IssueFacts:
        self._enter("issue")
        return self._known(self.issues.get(number), f"issue {number}")

    def closing(self, issue: int) -> tuple[OtherPull, ...]:
        self._enter("closing")
        return tuple(
            OtherPull(p.pull.number, p.pull.url, p.author)
            for p in reversed(self.pulls)
            if p.pull.is_open and p.author != self.bot_login and closes(f"{p.new.title}\n{p.new.body}", "o/r", issue)
        )

    def lacking(self) -> tuple[str, ...]:
        self._enter("lacking")
        return self.ungranted

    def branch_head(self, branch: str) -> str | None:
        self._enter("branch_head")
        return self.branches.get(branch)

    def put_comment(self, issue: int, marker: str, body: str, *, soon: bool = False) -> str:
        del soon
        self._enter("put_comment")
        self._known(self.issues.get(issue), f"issue {issue}")
        made = FakeComment(self.bot_login, body if is_marked(body, marker) else f"{marker}\n{body}")
        comments = self.comments[issue]
        place = _first(i for i, c in enumerate(comments) if c.author == self.bot_login and is_marked(c.body, marker))
        if place is None:
            comments.append(made)
            place = len(comments) - 1
        comments[place] = made
        return f"{WEB}/issues/{issue}#issuecomment-{place}"

    def put_check(self, report: CheckReport) -> str:
        self._enter("put_check")
        self._known(self.commits.get(report.head_sha), report.head_sha)
        key = (report.head_sha, report.external_id)
        place = _first(i for i, c in enumerate(self.checks) if (c.head_sha, c.external_id) == key)
        if place is None:
            self.checks.append(report)
            place = len(self.checks) - 1
        there = self.checks[place]
        self.checks[place] = replace(report, annotations=there.annotations or report.annotations)
        return f"{WEB}/runs/{place}"

    def failed_jobs(self, suite_id: int) -> tuple[FailedJob, ...]:
        self._enter("failed_jobs")
        found = self._known(self.jobs.get(suite_id), f"suite {suite_id}")
        return tuple(replace(job, log=job.log[-200_000:]) for job in found[:10])

    def pull_requests(self, marker: str) -> tuple[PullRequest, ...]:
        self._enter("pull_requests")
        return self._own_pulls(marker)

    def commit(self, new: NewCommit) -> str:
        self._enter("commit")
        parent = self._known(self.commits.get(new.parent), new.parent)
        tree = dict(parent.tree)
        for change in new.patch.changes:
            if change.content is None:
                tree.pop(change.path, None)
            else:
                tree[change.path] = replace(tree.get(change.path, File(b"")), data=change.content)
        if tree == parent.tree:
            raise GitHubError("The patch changes nothing against its parent", "There is nothing to publish.")
        made = FakeCommit(new.parent, new.message, tree)
        if self.branches.get(new.branch, made.sha) != made.sha:
            raise BranchTakenError(
                f"The branch {new.branch} already holds other commits", "Delete or rename the branch."
            )
        others = self.branches.keys() - {new.branch}
        if any(one.startswith(f"{new.branch}/") or new.branch.startswith(f"{one}/") for one in others):
            raise BranchTakenError(f"{new.branch} cannot be made beside another branch", "Rename that one.")
        self.commits[made.sha] = made
        self.branches[new.branch] = made.sha
        return made.sha

    def open_pull_request(self, new: NewPullRequest, marker: str) -> PullRequest:
        self._enter("open_pull_request")
        there = _first(pull for pull in self._own_pulls(marker) if pull.is_open)
        if there is not None:
            return there
        self._known(self.branches.get(new.head), new.head)
        if any(p.pull.is_open and (p.new.head, p.new.base) == (new.head, new.base) for p in self.pulls):
            raise GitHubError("A pull request already exists", "Close it.")
        return self.add_pull(
            self.bot_login, new if mark_of(new.body) == marker else replace(new, body=f"{marker}\n{new.body}")
        )

    def ask_review(self, pull_request: int, reviewers: tuple[str, ...]) -> tuple[str, ...]:
        self._enter("ask_review")
        known = [login for login in reviewers if login in self.permissions]
        self.reviewers[pull_request] += [login for login in known if login not in self.reviewers[pull_request]]
        return tuple(login for login in reviewers if login not in known)

    def add_pull(self, author: str, new: NewPullRequest) -> PullRequest:
        """Open a pull request as anybody."""
        number = 1 + max([*self.issues, *(p.pull.number for p in self.pulls)], default=0)
        made = PullRequest(number, f"{WEB}/pull/{number}", new.head, is_open=True, merged=False)
        self.pulls.append(FakePull(author, new, made))
        return made

    def close_pull(self, number: int, *, merged: bool = False) -> None:
        """Close a pull request as a maintainer."""
        self.pulls = [
            replace(p, pull=replace(p.pull, is_open=False, merged=merged)) if p.pull.number == number else p
            for p in self.pulls
        ]

    def _own_pulls(self, marker: str) -> tuple[PullRequest, ...]:
        own = (p for p in reversed(self.pulls) if p.author == self.bot_login)
        return tuple(p.pull for p in own if is_of(marker, mark_of(p.new.body), p.new.head))

    def _enter(self, method: str) -> None:
        self.calls.append(method)
        if self.failures[method]:
            raise self.failures[method].pop(0)

    def _known(self, found: T | None, what: str) -> T:
        if found is None:
            raise NotFoundError(f"GitHub knows no {what}", "Check that it still exists.")
        return found


def _first(found: Iterable[T]) -> T | None:
    return next(iter(found), None)
