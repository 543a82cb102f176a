"""Pull requests as a decision needs them: anybody's, by number or by the branch that they are from."""

from collections.abc import Iterable
from typing import Protocol

from bot.events import PullRequest
from bot.own_pulls import subject_of


class Pulls(Protocol):
    """One repository's pull requests. Both methods raise what those of `GitHub` do, and no `NotFoundError`."""

    def by_number(self, number: int) -> PullRequest | None:
        """A pull request, `None` where the number is none's."""
        ...

    def from_branch(self, branch: str) -> PullRequest | None:
        """The open pull request from a branch of this repository, as `first_of` has it, `None` where there is none."""
        ...


def first_of(pulls: Iterable[PullRequest], bot_login: str) -> PullRequest | None:
    """Of several from one branch the App's own, else the oldest: whoever opens another takes nothing over."""

    def rank(one: PullRequest) -> tuple[bool, int]:
        return not (one.author == bot_login and subject_of(one.mark, one.head_branch)), one.number

    return min(pulls, key=rank, default=None)
