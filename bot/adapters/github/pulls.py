"""The port `Pulls` over REST."""

from itertools import islice

from github.PullRequest import PullRequest as RestPullRequest

from bot.adapters.github.pace import Pace
from bot.adapters.github.session import PULLS, Session
from bot.adapters.github.tokens import InstallationTokens
from bot.errors import NotFoundError
from bot.events import PullRequest
from bot.own_pulls import mark_of
from bot.pipeline.ports.pulls import first_of

MOST = 100


class RestPulls:
    """One repository's pull requests."""

    def __init__(
        self, tokens: InstallationTokens, installation_id: int, repository: str, *, bot_login: str, pace: Pace
    ) -> None:
        """Send nothing yet. `repository` is owner/name, `bot_login` the App's login with `[bot]`."""
        self._session = Session(tokens, installation_id, repository, pace)
        self._bot_login = bot_login

    def by_number(self, number: int) -> PullRequest | None:
        """A pull request."""

        def found() -> PullRequest:
            pull = self._session.repository(PULLS).get_pull(number)
            pull.update()
            return _seen(pull)

        try:
            return self._session.read(f"reading pull request {number}", found)
        except NotFoundError:
            return None

    def from_branch(self, branch: str) -> PullRequest | None:
        """The open pull request from a branch: the App's own, else the oldest."""
        repository = self._session.repository(PULLS)
        head = f"{self._session.full_name.partition('/')[0]}:{branch}"

        def found() -> PullRequest | None:
            pulls = repository.get_pulls(state="open", head=head, sort="created", direction="asc")
            # A filter that names no branch as git has it is left out by GitHub, not refused.
            seen = (_seen(pull) for pull in islice(pulls, MOST))
            return first_of((one for one in seen if one.head_branch == branch and not one.is_fork), self._bot_login)

        return self._session.read(f"looking for the pull request from {branch}", found)


def _seen(pull: RestPullRequest) -> PullRequest:
    # A fork that was deleted is no repository any more.
    is_fork = pull.head.repo is None or pull.head.repo.id != pull.base.repo.id
    author = pull.user.login if pull.user else ""
    return PullRequest(
        pull.number,
        author,
        mark_of(pull.body),
        pull.head.ref,
        pull.head.sha,
        pull.base.ref,
        is_open=pull.state == "open",
        is_fork=is_fork,
    )
