"""Calls to one repository: the right token, retries that repeat no write blindly, errors in words."""

import threading
from collections.abc import Callable, Mapping
from typing import TypeVar

from github import Consts, GithubRetry
from github.Repository import Repository

from bot.adapters.github.errors import FAILURES, rate_limit_wait, translate, unauthorized, uncertain
from bot.adapters.github.outgoing import Outgoing
from bot.adapters.github.pace import Pace
from bot.adapters.github.tokens import InstallationTokens, Permissions, StepAuth

METADATA: Permissions = (("metadata", "read"),)
CODE: Permissions = (("contents", "read"),)
ISSUES: Permissions = (("issues", "read"),)
PULLS: Permissions = (("pull_requests", "read"),)
COMMENT: Permissions = (("issues", "write"),)
CHECK: Permissions = (("checks", "write"),)
RESULTS: Permissions = (("checks", "read"),)
LOGS: Permissions = (("actions", "read"),)
COMMIT: Permissions = (("contents", "write"),)
REVIEW: Permissions = (("pull_requests", "write"),)
OPENING: Permissions = (("contents", "read"), ("pull_requests", "write"))

ATTEMPTS = 4
"""How often one write is tried in all."""

T = TypeVar("T")


def nothing() -> None:
    """For writes that may simply be repeated, such as edits in place and objects named by their content."""
    return


class Session:
    """One repository of one installation. PyGithub's objects below it are lazy: each read is one request."""

    def __init__(self, tokens: InstallationTokens, installation_id: int, repository: str, pace: Pace) -> None:
        """Send nothing yet; `repository` is owner/name."""
        self.full_name = repository
        self.app_id = tokens.app_id
        self._tokens = tokens
        self._installation_id = installation_id
        self._pace = pace
        self._lock = threading.Lock()
        self._repositories: dict[Permissions, Repository] = {}

    def repository(self, needs: Permissions) -> Repository:
        """PyGithub's repository, with a token of these permissions."""
        with self._lock:
            if needs not in self._repositories:
                self._repositories[needs] = Repository(self._requester(needs), url=f"/repos/{self.full_name}")
            return self._repositories[needs]

    def granted(self) -> Mapping[str, str]:
        """The installation's permissions, name → read or write. Raises `GitHubError`."""
        return self._tokens.granted(self._installation_id)

    def read(self, doing: str, call: Callable[[], T]) -> T:
        """Make a call that changes nothing; PyGithub repeats it after 5xx and limits. Raises `GitHubError`."""
        try:
            try:
                return call()
            except FAILURES as error:
                if not unauthorized(error):
                    raise
                self._forget_tokens()
                return call()
        except FAILURES as error:
            raise translate(error, doing) from None

    def write(self, doing: str, call: Callable[[], T], made: Callable[[], T | None] = nothing) -> T:
        """Make a call that changes something, at most `ATTEMPTS` times.

        After an answer that leaves open whether it took effect, `made` looks; what it finds is the result.
        Raises `GitHubError`.
        """
        for attempt in range(ATTEMPTS):
            self._pace.await_turn()
            try:
                return call()
            except FAILURES as error:
                failure = error
            pause = self._pause(failure, attempt)
            if pause is None:
                break
            self._pace.sleep(pause)
            if uncertain(failure) and (found := made()) is not None:
                return found
        raise translate(failure, doing)

    def _pause(self, failure: Exception, attempt: int) -> float | None:
        if unauthorized(failure) and attempt == 0:
            self._forget_tokens()
            return 0.0
        wait = rate_limit_wait(failure, self._pace.clock())
        if wait is not None:
            return wait if wait <= self._pace.patience else None
        return self._pace.backoff * 2**attempt if uncertain(failure) else None

    def sent(self, text: str) -> str:
        """What is sent for a text: without secrets. Space around it counts for nothing."""
        return self._tokens.redact(text).strip()

    def _forget_tokens(self) -> None:
        self._tokens.forget(self._installation_id, self.full_name)

    def _requester(self, needs: Permissions) -> Outgoing:
        retry = GithubRetry(
            total=3,
            backoff_factor=self._pace.backoff,
            allowed_methods={"GET"},
            max_rate_limit_wait=self._pace.patience,
            retry_after_max=int(self._pace.patience),
        )
        return Outgoing(
            self._tokens.redact,
            auth=StepAuth(self._tokens, self._installation_id, self.full_name, needs),
            base_url=self._tokens.api_url,
            timeout=self._tokens.timeout,
            user_agent=Consts.DEFAULT_USER_AGENT,
            per_page=100,
            verify=True,
            retry=retry,
            pool_size=None,
            lazy=True,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )
