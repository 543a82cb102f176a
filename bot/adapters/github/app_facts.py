"""What GitHub says of the App itself: its permissions and events, where it is installed, where its webhooks go.

Source: https://docs.github.com/en/rest/apps/apps and https://docs.github.com/en/rest/apps/webhooks
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, Field, ValidationError

from bot.adapters.github.errors import FAILURES, translate
from bot.adapters.github.tokens import InstallationTokens
from bot.errors import GitHubError, NotFoundError

MOST = 100
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AppFacts:
    """The App as it is registered; permissions map name → read, write or admin."""

    slug: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Installed:
    """One installation; what was accepted there may lag behind what the App asks for."""

    account: str
    suspended: bool
    permissions: Mapping[str, str]


class _App(BaseModel):
    slug: str = Field(max_length=200)
    permissions: dict[str, str]
    events: list[str]


class _Account(BaseModel):
    login: str = Field(max_length=200)


class _Installation(BaseModel):
    account: _Account
    suspended_at: datetime | None = None
    permissions: dict[str, str]


class _Hook(BaseModel):
    url: str = Field("", max_length=2000)


def facts(tokens: InstallationTokens) -> AppFacts:
    """What the App is. Raises `ForbiddenError` when its id or key is refused, `GitHubError`."""
    answer = _call(tokens, "asking what the App is", "/app")
    found = _read(lambda: _App.model_validate(answer))
    return AppFacts(found.slug, found.permissions, tuple(found.events))


def installations(tokens: InstallationTokens) -> tuple[Installed, ...]:
    """Where the App is installed, at most 100. Raises `GitHubError`."""
    answer = _call(tokens, "listing the installations", f"/app/installations?per_page={MOST}")
    found = _read(lambda: [_Installation.model_validate(one) for one in answer])
    return tuple(Installed(one.account.login, one.suspended_at is not None, one.permissions) for one in found)


def hook_url(tokens: InstallationTokens) -> str | None:
    """Where webhooks go, `None` where this GitHub does not say. Raises `GitHubError`."""
    try:
        answer = _call(tokens, "asking where webhooks go", "/app/hook/config")
    except NotFoundError:
        return None
    return _read(lambda: _Hook.model_validate(answer)).url


def clock_skew(api_url: str, *, now: Callable[[], float] = time.time, timeout: float = 10.0) -> float | None:
    """Seconds by which this machine's clock is ahead of GitHub's, `None` where nothing tells the time there.

    A claim of the App is refused once the clocks are a minute apart.
    """
    try:
        answer = httpx.get(f"{api_url}/rate_limit", timeout=timeout, follow_redirects=False)
        return now() - parsedate_to_datetime(answer.headers["date"]).timestamp()
    except (httpx.HTTPError, httpx.InvalidURL, KeyError, ValueError, TypeError):
        return None


def answers_unsigned(url: str, *, timeout: float = 10.0) -> int | None:
    """The status that a webhook without a signature gets there, 401 from our own server; `None` for no answer."""
    try:
        return httpx.post(url, content=b"{}", timeout=timeout, follow_redirects=False).status_code
    except (httpx.HTTPError, httpx.InvalidURL):
        return None


def _call(tokens: InstallationTokens, doing: str, path: str) -> Any:
    try:
        _, answer = tokens.as_app.requestJsonAndCheck("GET", path)
    except FAILURES as error:
        raise translate(error, doing) from None
    return answer


def _read(read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValidationError, TypeError):
        raise GitHubError("GitHub answered otherwise than documented", "Check REGREEN_GITHUB_URL.") from None
