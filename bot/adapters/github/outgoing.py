"""The one way by which anything is written to GitHub: every text of a request without the secrets that are in it."""

import base64
import binascii
from typing import Any

from github.Requester import Requester

from bot.errors import GitHubError
from bot.pipeline.reports.cut import MAX_BODY, fitted
from bot.redaction import Redactor

NAMES = frozenset(
    {
        "base", "base_tree", "branch", "commit_id", "content", "encoding", "event", "external_id", "head", "head_sha",
        "identifier", "in_reply_to", "mode", "names", "node_id", "parents", "path", "query", "ref", "sha", "side",
        "start_side", "state", "status", "threadId", "tree", "type",
    }
)  # fmt: skip
"""Keys whose values name something: a changed one would name something else, or nothing. All others hold text."""


class Outgoing(Requester):
    """PyGithub's requester, through which all of its objects send."""

    def __init__(self, redact: Redactor, **kwargs: Any) -> None:
        """Take what `Requester` takes, by name."""
        super().__init__(**kwargs)
        self._redact = redact

    def requestJson(self, verb: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: N802 - PyGithub's name
        """Send, without secrets. Raises `GitHubError` for a file that holds one of this installation's."""
        return super().requestJson(verb, url, *(_without(self._redact, one) for one in args), **self._named(kwargs))

    def withLazy(self, lazy: Any) -> Requester:  # noqa: N802 - PyGithub's name
        """The same; PyGithub would go on with a requester of its own class."""
        plain = super().withLazy(lazy)
        return self if plain is self else Outgoing(self._redact, **plain.kwargs)

    def _named(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return kwargs | ({"input": _without(self._redact, kwargs["input"])} if "input" in kwargs else {})


def _without(redact: Redactor, value: Any, key: str = "") -> Any:
    match value:
        case str() if key == "content":
            _refuse(redact, value)
            return value
        case str() if key not in NAMES:
            return _text(redact, value)
        case dict():
            return {name: _without(redact, item, name) for name, item in value.items()}
        case list() | tuple():
            return [_without(redact, item, key) for item in value]
        case _:
            return value


def _text(redact: Redactor, text: str) -> str:
    clean = redact(text)
    # a mask may be longer than what it stands for
    return fitted(clean) if len(clean) > MAX_BODY and len(clean) > len(text) else clean


def _refuse(redact: Redactor, content: str) -> None:
    """Nobody would read a file with a mask in it: one that holds a secret of ours is not written at all."""
    try:
        data = base64.b64decode(content, validate=True)
    except binascii.Error:
        data = content.encode()
    text = data.decode("utf-8", "replace")
    if redact.conceal(text) != text:
        raise GitHubError(
            "A file to be committed holds a secret of this installation of Regreen",
            "Look in the run's log for where it came from, and replace that secret.",
        )
