"""One REST call as its handler sees it, and the answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from bot.demo.actions import Actor
from bot.demo.auth import Caller
from bot.demo.records import Issue, Repository
from bot.demo.refusal import missing
from bot.demo.store import MissingError, Store

PER_PAGE = 30
MOST_PER_PAGE = 100
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: JSON, or `raw` bytes of `media_type`, or nothing."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    media_type: str = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Call:
    """A checked, authenticated and authorised request. `body` is the decoded JSON, {} without one."""

    store: Store
    caller: Caller
    url: str
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    accept: str

    @property
    def actor(self) -> Actor:
        """Who acts."""
        return self.caller.actor

    @property
    def repository(self) -> Repository:
        """The repository of the path. Refuses with 404."""
        try:
            return self.store.repository(f"{self.parameters['owner']}/{self.parameters['repo']}")
        except MissingError:
            raise missing() from None

    @property
    def issue(self) -> Issue:
        """The issue or pull request of the path. Refuses with 404."""
        try:
            return self.store.issue(self.repository, self.number("issue_number"))
        except MissingError:
            raise missing() from None

    @property
    def pull(self) -> Issue:
        """The pull request of the path. Refuses with 404."""
        found = self.repository.issues.get(self.number("pull_number"))
        if found is None or found.pull is None:
            raise missing()
        return found

    def number(self, name: str) -> int:
        """A path parameter that is a number. Refuses with 404."""
        try:
            return int(self.parameters[name])
        except ValueError:
            raise missing() from None

    def page(self, items: Sequence[T], shape: Callable[[T], Any], key: str = "") -> Reply:
        """One page of a list with its Link header; under `key`, beside `total_count`, where GitHub wraps it."""
        size = min(int(self.query.get("per_page", PER_PAGE)), MOST_PER_PAGE)
        page, last = max(int(self.query.get("page", 1)), 1), max(-(-len(items) // size), 1)
        shown = [shape(item) for item in items[(page - 1) * size : page * size]]
        body = {"total_count": len(items), key: shown} if key else shown
        return Reply(body, headers=self._links(page, last))

    def _links(self, page: int, last: int) -> dict[str, str]:
        targets = {"prev": page - 1, "first": 1} if page > 1 else {}
        if page < last:
            targets |= {"next": page + 1, "last": last}
        links = [
            f'<{self.url}?{urlencode(dict(self.query) | {"page": number})}>; rel="{name}"'
            for name, number in targets.items()
        ]
        return {"Link": ", ".join(links)} if links else {}


Handler = Callable[[Call], Reply]
