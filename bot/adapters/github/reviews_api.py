"""The port `Threads` over REST: reviews, comments on the diff, and answers in their threads.

Source: https://docs.github.com/rest/pulls/comments, https://docs.github.com/rest/pulls/reviews
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.adapters.github.pace import Pace
from bot.adapters.github.session import PULLS, REVIEW, Session
from bot.adapters.github.tokens import InstallationTokens
from bot.errors import ForbiddenError, NotFoundError
from bot.pipeline.ports.threads import Remark, ReviewFacts
from bot.pipeline.reports.markdown import is_marked

MOST_PAGES = 10
PAGE = 100
MOST_REMARKS = 300
MOST_BODY = 10_000
MOST_HUNK = 2_000


class RestThreads:
    """One repository's reviews. Whose a comment is, is told by its author: markers alone prove nothing."""

    def __init__(
        self, tokens: InstallationTokens, installation_id: int, repository: str, *, bot_login: str, pace: Pace
    ) -> None:
        """Send nothing yet. `repository` is owner/name, `bot_login` the App's login with `[bot]`."""
        self._session = Session(tokens, installation_id, repository, pace)
        self._bot_login = bot_login

    def review(self, pull_request: int, review: int) -> ReviewFacts | None:
        """A review, `None` where it is gone."""
        try:
            found = self._get(f"reading review {review}", f"pulls/{pull_request}/reviews/{review}")
        except NotFoundError:
            return None
        return ReviewFacts(
            _login(found),
            str(found["state"]).upper(),
            str(found["body"] or "")[:MOST_BODY],
            _seconds(found.get("submitted_at")),
            str(found["html_url"]),
        )

    def remarks(self, pull_request: int) -> tuple[Remark, ...]:
        """The comments on a pull request's diff, at most the latest 300, oldest first."""
        newest_first = {"sort": "created", "direction": "desc"}
        pages = self._pages(f"pulls/{pull_request}/comments", "reading the comments on the diff", newest_first)
        found: list[Remark] = []
        for one in pages:
            found.append(self._remark(one))
            if len(found) == MOST_REMARKS:
                break
        return tuple(reversed(found))

    def answer(self, pull_request: int, thread: int, marker: str, body: str) -> str:
        """Write the App's one comment with this marker into a thread, or edit it in place."""
        text = body if is_marked(body, marker) else f"{marker}\n{body}"
        there = self._ours_in(pull_request, thread, marker)
        if there is not None:
            if there["body"] != text:
                self._send("editing an answer", "PATCH", f"pulls/comments/{there['id']}", {"body": text})
            return str(there["html_url"])
        path = f"pulls/{pull_request}/comments/{thread}/replies"
        repository = self._session.repository(REVIEW)
        made: Mapping[str, Any] = self._session.write(
            "answering in a thread",
            lambda: repository.requester.requestJsonAndCheck("POST", f"{repository.url}/{path}", input={"body": text})[
                1
            ],
            lambda: self._ours_in(pull_request, thread, marker),
        )
        return str(made["html_url"])

    def text(self, pull_request: int) -> str:
        """The text that a pull request begins with."""
        return str(self._get("reading the pull request", f"pulls/{pull_request}")["body"] or "")

    def rewrite(self, pull_request: int, body: str) -> None:
        """Replace that text of one of our own pull requests."""
        there = self._get("reading the pull request", f"pulls/{pull_request}")
        if _login(there) != self._bot_login:
            raise ForbiddenError(f"#{pull_request} is not one of Regreen's own", "Only its author changes its text.")
        if there["body"] != body:
            self._send("editing the pull request", "PATCH", f"pulls/{pull_request}", {"body": body})

    def changed(self, pull_request: int) -> tuple[str, ...]:
        """The paths that a pull request changes, of renamed files both, at most 1,000, sorted."""
        found: set[str] = set()
        for one in self._pages(f"pulls/{pull_request}/files", "listing the changed files"):
            found.add(str(one["filename"]))
            if one.get("previous_filename"):
                found.add(str(one["previous_filename"]))
        return tuple(sorted(found))

    def _remark(self, one: Mapping[str, Any]) -> Remark:
        return Remark(
            int(one["id"]),
            int(one.get("in_reply_to_id") or one["id"]),
            int(one.get("pull_request_review_id") or 0),
            _login(one),
            str(one["path"]),
            int(one.get("line") or 0) if one.get("side", "RIGHT") == "RIGHT" else 0,
            str(one["diff_hunk"])[-MOST_HUNK:],
            str(one["body"])[:MOST_BODY],
            _seconds(one["created_at"]),
            _seconds(one["updated_at"]),
            ours=_login(one) == self._bot_login,
        )

    def _ours_in(self, pull_request: int, thread: int, marker: str) -> Mapping[str, Any] | None:
        """The App's own comment with this marker in a thread."""
        newest_first = {"sort": "created", "direction": "desc"}
        pages = self._pages(f"pulls/{pull_request}/comments", "reading the comments on the diff", newest_first)
        own = (one for one in pages if _login(one) == self._bot_login and one.get("in_reply_to_id") == thread)
        return next((one for one in own if is_marked(one["body"], marker)), None)

    def _pages(self, path: str, doing: str, query: Mapping[str, str] | None = None) -> Iterator[Mapping[str, Any]]:
        for page in range(1, MOST_PAGES + 1):
            listed = self._get(doing, path, {**(query or {}), "per_page": PAGE, "page": page})
            yield from listed
            if len(listed) < PAGE:
                return

    def _get(self, doing: str, path: str, query: Mapping[str, Any] | None = None) -> Any:
        repository = self._session.repository(PULLS)
        url, parameters = f"{repository.url}/{path}", dict(query or {})
        return self._session.read(
            doing, lambda: repository.requester.requestJsonAndCheck("GET", url, parameters=parameters)[1]
        )

    def _send(self, doing: str, verb: str, path: str, body: Mapping[str, Any]) -> None:
        repository = self._session.repository(REVIEW)
        url = f"{repository.url}/{path}"
        self._session.write(doing, lambda: repository.requester.requestJsonAndCheck(verb, url, input=dict(body)))


def _login(one: Mapping[str, Any]) -> str:
    # Who deleted their account is nobody any more.
    return str((one.get("user") or {}).get("login") or "")


def _seconds(moment: Any) -> float:
    return datetime.fromisoformat(str(moment)).timestamp() if moment else 0.0
