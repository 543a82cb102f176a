"""The port `App` over REST: calls that a signed claim authorises, no token.

Source: https://docs.github.com/en/rest/apps/webhooks and https://docs.github.com/en/rest/apps/apps
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

from pydantic import BaseModel, Field, ValidationError
from requests.utils import parse_header_links

from bot.adapters.github.errors import FAILURES, translate
from bot.adapters.github.tokens import InstallationTokens
from bot.errors import GitHubError, NotFoundError
from bot.pipeline.ports.app import Attempt, Attempts

PAGE = 100
T = TypeVar("T")


class _Logged(BaseModel):
    id: int
    guid: str = Field(max_length=200)
    delivered_at: datetime
    event: str = Field(max_length=100)
    status_code: int


class _Installation(BaseModel):
    id: int
    suspended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RestApp:
    """Implements `bot.pipeline.ports.app.App`."""

    tokens: InstallationTokens

    def attempts(self, since: float, most: int) -> Attempts:
        """What the webhook was sent since then, newest first."""
        found = tuple(islice(self._since(since), most + 1))
        return Attempts(found[:most], whole=len(found) <= most)

    def redeliver(self, identity: int) -> None:
        """Ask for one delivery once more; twice does no harm, since it keeps its id."""
        self._call("asking for a redelivery", "POST", f"/app/hook/deliveries/{identity}/attempts")

    def installed(self, installation_id: int, repository: str = "") -> bool:
        """Whether the installation, and the App on the repository, is there now."""
        path = f"/repos/{quote(repository)}/installation" if repository else f"/app/installations/{installation_id}"
        try:
            _, answer = self._call("looking for the installation", "GET", path)
        except NotFoundError:
            return False
        there = _read(lambda: _Installation.model_validate(answer))
        return there.id == installation_id and there.suspended_at is None

    def forget(self, installation_id: int, repositories: tuple[str, ...]) -> None:
        """Forget tokens."""
        for repository in repositories or (None,):
            self.tokens.forget(installation_id, repository)

    def _since(self, since: float) -> Iterator[Attempt]:
        cursor = ""
        while True:
            asked = {"per_page": PAGE} | ({"cursor": cursor} if cursor else {})
            headers, answer = self._call("listing deliveries", "GET", "/app/hook/deliveries", asked)
            for attempt in _read(lambda: [_attempt(one) for one in answer]):  # noqa: B023 - called at once
                if attempt.at < since:
                    return
                yield attempt
            cursor = _next_cursor(headers)
            if not cursor:
                return

    def _call(
        self, doing: str, verb: str, path: str, parameters: dict[str, Any] | None = None
    ) -> tuple[Mapping[str, Any], Any]:
        try:
            return self.tokens.as_app.requestJsonAndCheck(verb, path, parameters)
        except FAILURES as error:
            raise translate(error, doing) from None


def _attempt(answer: Any) -> Attempt:
    one = _Logged.model_validate(answer)
    return Attempt(one.id, one.guid, one.delivered_at.timestamp(), one.event, ok=200 <= one.status_code < 300)  # noqa: PLR2004 - HTTP


def _read(read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValidationError, TypeError):
        raise GitHubError("GitHub answered otherwise than documented", "Check REGREEN_GITHUB_URL.") from None


def _next_cursor(headers: Mapping[str, Any]) -> str:
    """The cursor of the next page; the address itself is not followed, since the claim would go along."""
    for link in parse_header_links(str(headers.get("link", ""))):
        if link.get("rel") == "next":
            return parse_qs(urlsplit(link["url"]).query).get("cursor", [""])[0]
    return ""
