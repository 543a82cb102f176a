"""Installation tokens: narrowed to one repository and to what a step needs, minted at the moment of use."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import jwt
from github import Auth, GithubIntegration, GithubRetry
from github.Requester import Requester
from pydantic import BaseModel, SecretStr, ValidationError

from bot.adapters.github.errors import FAILURES, translate
from bot.errors import ConfigurationError, ForbiddenError, GitHubError
from bot.redaction import Redactor

Permissions = tuple[tuple[str, str], ...]
"""Name → read or write, as pairs; `metadata: read` is always part of a token."""

TIMEOUT = 30
"""Seconds that a call may take."""
RENEW_BEFORE = 300.0
"""Seconds before its end when a token counts as expired: longer than any one request."""


@dataclass(frozen=True, slots=True)
class _Key:
    installation_id: int
    repository: str
    permissions: Permissions


class _Minted(BaseModel):
    token: SecretStr
    expires_at: datetime


class _Installation(BaseModel):
    permissions: dict[str, str]


class InstallationTokens:
    """Mints and keeps tokens. Safe to share between threads: eight that ask at once get one token."""

    def __init__(
        self,
        app_id: int,
        private_key: SecretStr,
        api_url: str,
        *,
        redact: Redactor | None = None,
        clock: Callable[[], float] = time.time,
        backoff: float = 1.0,
    ) -> None:
        """Check the key, send nothing. `backoff` is in seconds. Raises `ConfigurationError`.

        `redact` learns the key and every token.
        """
        self.redact = redact or Redactor()
        self.redact.learn(private_key)
        self.app_id = app_id
        self.api_url = api_url.rstrip("/")
        self.timeout = TIMEOUT
        self.backoff = backoff
        self._clock = clock
        auth = Auth.AppAuth(app_id, private_key.get_secret_value())
        try:
            auth.create_jwt()
        except (ValueError, TypeError, jwt.PyJWTError):
            raise ConfigurationError(
                "The App's private key is no PEM key that can sign", "Point REGREEN_PRIVATE_KEY_FILE at the App's key."
            ) from None
        # Minting or redelivering twice harms nobody, so here POST may be repeated.
        retry = GithubRetry(total=3, backoff_factor=backoff, allowed_methods={"GET", "POST"}, retry_after_max=60)
        self._integration = GithubIntegration(
            auth=auth,
            base_url=self.api_url,
            timeout=TIMEOUT,
            retry=retry,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )
        self._lock = threading.Lock()
        self._kept: dict[_Key, _Minted] = {}

    def token(self, installation_id: int, repository: str, permissions: Permissions) -> SecretStr:
        """A token that lives for at least five more minutes, for `repository` (owner/name) alone.

        Raises `NotFoundError` when the App is not installed, `ForbiddenError` when its key is refused or the
        installation does not grant the permissions, `GitHubUnavailableError`.
        """
        key = _Key(installation_id, repository, permissions)
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.expires_at.timestamp() - RENEW_BEFORE <= self._clock():
                kept = self._kept[key] = self._mint(key)
                self.redact.learn(kept.token)
            return kept.token

    def granted(self, installation_id: int) -> Mapping[str, str]:
        """What the installation grants, name → read or write. Raises `GitHubError`."""
        try:
            _, answer = self._integration.requester.requestJsonAndCheck("GET", f"/app/installations/{installation_id}")
            return _Installation.model_validate(answer).permissions
        except FAILURES as error:
            raise translate(error, "reading what the installation grants") from None
        except ValidationError:
            raise GitHubError(
                "GitHub answered without the installation's permissions", "Check REGREEN_GITHUB_URL."
            ) from None

    @property
    def as_app(self) -> Requester:
        """What calls GitHub as the App itself, which sees no repository."""
        return self._integration.requester

    def forget(self, installation_id: int, repository: str | None) -> None:
        """Mint anew at the next use: a token was refused that should have been good, or nobody may use it any more.

        `None` stands for all repositories of the installation.
        """
        with self._lock:
            for key in tuple(self._kept):
                if key.installation_id == installation_id and repository in {None, key.repository}:
                    del self._kept[key]

    def _mint(self, key: _Key) -> _Minted:
        asked = ", ".join(f"{name}: {level}" for name, level in key.permissions)
        doing = f"minting a token for {key.repository} with {asked}"
        body: dict[str, Any] = {
            "repositories": [key.repository.partition("/")[2]],
            "permissions": dict(key.permissions),
        }
        try:
            _, answer = self._integration.requester.requestJsonAndCheck(
                "POST", f"/app/installations/{key.installation_id}/access_tokens", input=body
            )
            return _Minted.model_validate(answer)
        except FAILURES as error:
            failure = translate(error, doing)
            # 422, the only plain refusal here, says that a permission or the repository is not the installation's.
            if type(failure) is not GitHubError:
                raise failure from None
            raise ForbiddenError(
                failure.cause,
                f"Grant the App {asked}, accept it in the installation's settings, and install it on {key.repository}.",
            ) from None
        except ValidationError:
            raise GitHubError(f"GitHub answered without a token while {doing}", "Check REGREEN_GITHUB_URL.") from None


class StepAuth(Auth.Auth):
    """Lets PyGithub ask for the token again at every request, so that an hour-old job has a fresh one."""

    def __init__(self, tokens: InstallationTokens, installation_id: int, repository: str, needs: Permissions) -> None:
        """Mint nothing yet."""
        self._token: Callable[[], SecretStr] = lambda: tokens.token(installation_id, repository, needs)

    @property
    def token_type(self) -> str:
        """The authorization scheme."""
        return "Bearer"

    @property
    def token(self) -> str:
        """A token that is good now."""
        return self._token().get_secret_value()

    def authentication(self, headers: dict[str, Any]) -> None:
        """Put the token into a request."""
        headers["Authorization"] = f"{self.token_type} {self.token}"

    def mask_authentication(self, headers: dict[str, Any]) -> None:
        """Take it out of what PyGithub logs."""
        headers["Authorization"] = f"{self.token_type} (hidden)"
