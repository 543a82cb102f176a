"""GitHub as the App itself sees it, by its own credentials: where it is installed, and what its webhook was sent."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to deliver a webhook, as GitHub's log has it.

    `guid` is the delivery's id, which a redelivery keeps; `identity` is this attempt's own. `at` is in seconds since
    the epoch, `ok` whether the answer was a success.
    """

    identity: int
    guid: str
    at: float
    event: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts, newest first; `whole` is whether these are all since the time that was asked for."""

    found: tuple[Attempt, ...]
    whole: bool


class App(Protocol):
    """Calls as the App. Each raises `ForbiddenError` or `GitHubUnavailableError`, the last only after retries."""

    def attempts(self, since: float, most: int) -> Attempts:
        """What the webhook was sent since then, in seconds since the epoch; at most so many, the newest."""
        ...

    def redeliver(self, identity: int) -> None:
        """Ask for one attempt's delivery once more. Raises `NotFoundError` for one that GitHub does not keep."""
        ...

    def installed(self, installation_id: int, repository: str = "") -> bool:
        """Whether the installation is there and not suspended; and on this repository (owner/name) where one is named.

        This is how things stand now, whichever deliveries say it earlier or later.
        """
        ...

    def forget(self, installation_id: int, repositories: tuple[str, ...]) -> None:
        """Forget the tokens for these repositories; without any, all of the installation's."""
        ...
