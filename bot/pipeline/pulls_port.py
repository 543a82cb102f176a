"""Pull requests as a decision needs them: anybody's, by number or by the branch that they are from."""

from typing import Protocol

from bot.events import PullRequest


class Pulls(Protocol):
    """One repository's pull requests. Both methods raise what those of `GitHub` do, and no `NotFoundError`."""

    def by_number(self, number: int) -> PullRequest | None:
        """A pull request, `None` where the number is none's."""
        ...

    def from_branch(self, branch: str) -> PullRequest | None:
        """The newest open pull request from a branch of this repository, `None` where there is none."""
        ...
