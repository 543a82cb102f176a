"""`Threads` and `Branches` in memory, over the commits and pull requests of a `FakeGitHub`."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fakes_github import WEB, FakeCommit, FakeGitHub

from bot.errors import BranchMovedError, ForbiddenError, GitHubError, NotFoundError
from bot.pipeline.ports.github import NewCommit
from bot.pipeline.ports.threads import Merged, Merging, Person, Remark, ReviewFacts
from bot.pipeline.reports.markdown import is_marked
from sandbox.spec import File


@dataclass
class FakeThreads:
    """What is said about the pull requests. `said` maps their numbers to the comments on their diffs, oldest first."""

    github: FakeGitHub = field(default_factory=FakeGitHub)
    reviews: dict[int, ReviewFacts] = field(default_factory=dict)
    said: dict[int, list[Remark]] = field(default_factory=dict)
    failure: GitHubError | None = None
    _last: int = 100

    def write(self, pull_request: int, review: int, author: str, path: str, line: int, body: str) -> int:
        """Comment on a line, as a person does; returns the thread's id."""
        self._last += 1
        hunk = f"@@ -1 +1 @@\n+line {line} of {path}"
        made = Remark(self._last, self._last, review, author, path, line, hunk, body, 1000.0, 1000.0)
        self.said.setdefault(pull_request, []).append(made)
        return self._last

    def answers(self, pull_request: int) -> list[tuple[int, str]]:
        """The App's own comments: the thread's id, the text."""
        return [(one.thread, one.body) for one in self.said.get(pull_request, []) if one.ours]

    def review(self, pull_request: int, review: int) -> ReviewFacts | None:
        self._enter()
        del pull_request
        return self.reviews.get(review)

    def remarks(self, pull_request: int) -> tuple[Remark, ...]:
        self._enter()
        return tuple(self.said.get(pull_request, [])[-300:])

    def answer(self, pull_request: int, thread: int, marker: str, body: str) -> str:
        self._enter()
        said = self.said.setdefault(pull_request, [])
        first = next((one for one in said if one.remark_id == thread), None)
        if first is None:
            raise NotFoundError(f"GitHub knows no comment {thread}", "Check that it still exists.")
        text = body if is_marked(body, marker) else f"{marker}\n{body}"
        for place, one in enumerate(said):
            if one.ours and one.thread == thread and is_marked(one.body, marker):
                said[place] = replace(one, body=text)
                return f"{WEB}/pull/{pull_request}#discussion_r{one.remark_id}"
        self._last += 1
        said.append(replace(first, remark_id=self._last, author=self.github.bot_login, body=text, ours=True))
        return f"{WEB}/pull/{pull_request}#discussion_r{self._last}"

    def text(self, pull_request: int) -> str:
        self._enter()
        return next((one.new.body for one in self.github.pulls if one.pull.number == pull_request), "")

    def rewrite(self, pull_request: int, body: str) -> None:
        self._enter()
        for place, one in enumerate(self.github.pulls):
            if one.pull.number == pull_request:
                if one.author != self.github.bot_login:
                    raise ForbiddenError(f"#{pull_request} is not one of Regreen's own", "Leave it alone.")
                self.github.pulls[place] = replace(one, new=replace(one.new, body=body))

    def changed(self, pull_request: int) -> tuple[str, ...]:
        self._enter()
        pull = next(one for one in self.github.pulls if one.pull.number == pull_request)
        head, base = (self.github.commits[self.github.branches[name]] for name in (pull.new.head, pull.new.base))
        paths = {*head.tree, *base.tree}
        return tuple(sorted(path for path in paths if head.tree.get(path) != base.tree.get(path)))

    def _enter(self) -> None:
        if self.failure:
            raise self.failure


@dataclass
class FakeBranches:
    """How the branches go on. `meanwhile` is called right before a branch moves: what somebody else does there."""

    github: FakeGitHub = field(default_factory=FakeGitHub)
    meanwhile: Callable[[], object] = lambda: None
    calls: list[str] = field(default_factory=list)

    def advance(self, new: NewCommit) -> str:
        self.calls.append("advance")
        self.meanwhile()
        parent = self.github.commits[new.parent]
        tree = dict(parent.tree)
        for change in new.patch.changes:
            if change.content is None:
                tree.pop(change.path, None)
            else:
                tree[change.path] = replace(tree.get(change.path, File(b"")), data=change.content)
        made = FakeCommit(new.parent, new.message, tree)
        head = self._head(new.branch)
        if head == made.sha:
            return head
        if head != new.parent:
            raise BranchMovedError(f"the branch {new.branch} got other commits while this was worked on", "Ask again.")
        if tree == parent.tree:
            raise GitHubError("The patch changes nothing against its parent", "There is nothing to publish.")
        self.github.commits[made.sha] = made
        self.github.branches[new.branch] = made.sha
        return made.sha

    def merge(self, branch: str, base: str, message: str) -> Merged:
        self.calls.append("merge")
        head, other = self._head(branch), self._head(base)
        if other in self._history(head):
            return Merged(Merging.CURRENT, head)
        parted = next(sha for sha in self._history(head) if sha in self._history(other))
        ours, theirs, old = (self.github.commits[sha].tree for sha in (head, other, parted))
        merged = dict(old)
        for path in {*ours, *theirs, *old}:
            found = {side.get(path) for side in (ours, theirs)} - {old.get(path)}
            if len(found) > 1:
                return Merged(Merging.CONFLICT, head)
            kept = found.pop() if found else old.get(path)
            merged.pop(path, None)
            if kept is not None:
                merged[path] = kept
        made = FakeCommit(head, message, merged, other)
        self.github.commits[made.sha] = made
        self.github.branches[branch] = made.sha
        return Merged(Merging.MERGED, made.sha)

    def person(self, login: str) -> Person | None:
        self.calls.append("person")
        login = login or self.github.bot_login
        return Person(login, f"7+{login}@users.noreply.github.test") if login != "nobody" else None

    def _head(self, branch: str) -> str:
        head = self.github.branches.get(branch)
        if head is None:
            raise NotFoundError(f"the branch {branch} is gone", "Restore it.")
        return head

    def _history(self, head: str) -> list[str]:
        found, waiting = [], [head]
        while waiting:
            sha = waiting.pop(0)
            if sha and sha not in found:
                found.append(sha)
                commit = self.github.commits[sha]
                waiting += [commit.parent, commit.second]
        return found
