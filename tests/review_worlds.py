"""The two worlds around GitHub's port, with what reviews need: `Threads`, `Branches`, and what reviewers do."""

from typing import Protocol

from fakes_threads import FakeBranches, FakeThreads
from github_worlds import BOT, FakeWorld, Keys, StandInWorld, World

from bot.adapters.github import RestBranches, RestThreads
from bot.demo.review_actions import NewRemark
from bot.demo.stand_in import StandIn
from bot.pipeline.ports.threads import Branches, ReviewFacts, Threads


class ReviewWorld(World, Protocol):
    """One repository, its pull requests, and who reviews them."""

    @property
    def threads(self) -> Threads: ...
    @property
    def branches(self) -> Branches: ...
    def review(self, number: int, body: str, remarks: dict[tuple[str, int], str], by: str) -> int:
        """Request changes, with comments on lines; returns the review's id."""
        ...

    def answers(self, number: int) -> list[tuple[int, str]]:
        """The App's own comments on the diff: the thread's id, the text."""
        ...

    def parents(self, commit: str) -> list[str]: ...
    def message(self, commit: str) -> str: ...


class FakeReviewWorld(FakeWorld):
    """Around the fakes."""

    def __init__(self) -> None:
        super().__init__()
        self.threads, self.branches = FakeThreads(self.fake), FakeBranches(self.fake)

    def review(self, number: int, body: str, remarks: dict[tuple[str, int], str], by: str) -> int:
        review = 1 + len(self.threads.reviews)
        self.threads.reviews[review] = ReviewFacts(by, "CHANGES_REQUESTED", body, 1000.0, "https://github.test/review")
        for (path, line), text in remarks.items():
            self.threads.write(number, review, by, path, line, text)
        return review

    def answers(self, number: int) -> list[tuple[int, str]]:
        return self.threads.answers(number)

    def parents(self, commit: str) -> list[str]:
        found = self.fake.commits[commit]
        return [sha for sha in (found.parent, found.second) if sha]

    def message(self, commit: str) -> str:
        return self.fake.commits[commit].message


class StandInReviewWorld(StandInWorld):
    """Around the stand-in."""

    def __init__(self, stand_in: StandIn, keys: Keys) -> None:
        super().__init__(stand_in, keys)
        where = (self.tokens, self.installation, self.full_name)
        self.threads = RestThreads(*where, bot_login=BOT, pace=self.pace)
        self.branches = RestBranches(*where, bot_login=BOT, pace=self.pace)

    def review(self, number: int, body: str, remarks: dict[tuple[str, int], str], by: str) -> int:
        self.state.add_user(by)
        said = [NewRemark(path, text, line) for (path, line), text in remarks.items()]
        return self.state.review(self.full_name, number, "REQUEST_CHANGES", body, remarks=said, by=by).id

    def answers(self, number: int) -> list[tuple[int, str]]:
        pull = self.repository.issues[number].pull
        return [(one.reply_to or one.id, one.body) for one in pull.remarks if one.author.login == BOT] if pull else []

    def parents(self, commit: str) -> list[str]:
        return list(self.repository.git.commit(commit).parents)

    def message(self, commit: str) -> str:
        return self.repository.git.commit(commit).message.rstrip("\n")
