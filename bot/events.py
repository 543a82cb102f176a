"""Delivery bytes → frozen events. Pure: no I/O, no clock. Everything in a payload is untrusted and validated here."""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from bot.errors import PayloadError

HANDLED = frozenset({"issues", "issue_comment", "check_suite"})
"""The events that a delivery may carry to be worth recording."""

MAX_TITLE = 1_000
MAX_BODY = 65_536
MAX_COMMENT = 1_000
MAX_ID = 2**63 - 1

_ACTION = re.compile(r"[a-z_]{1,50}")
_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|\.lock$|/\.")


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook delivery as GitHub sent it, signature already checked."""

    delivery_id: str
    event: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of an event; `full_name` is owner/name."""

    full_name: str
    repository_id: int
    default_branch: str
    installation_id: int


@dataclass(frozen=True, slots=True)
class IssueLabeled:
    """`issues.labeled`: title and body as they were at that moment."""

    repository: Repository
    number: int
    title: str
    body: str
    label: str
    sender: str
    sender_is_bot: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class IssueCommented:
    """`issue_comment.created` on an issue: title and body as they were at that moment, and what was commented."""

    repository: Repository
    number: int
    title: str
    body: str
    comment: str
    sender: str
    sender_is_bot: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class CheckSuiteCompleted:
    """`check_suite.completed`. `head_branch` is empty for a fork's pull request."""

    repository: Repository
    suite_id: int
    head_sha: str
    head_branch: str
    conclusion: str
    app_id: int
    sender: str


@dataclass(frozen=True, slots=True)
class Unhandled:
    """A well-formed delivery of a kind or action that nothing is done for, with the reason."""

    reason: str


Event = IssueLabeled | IssueCommented | CheckSuiteCompleted | Unhandled


def decode(body: bytes) -> dict[str, Any]:
    """The JSON object that `body` holds. Raises `PayloadError` when it holds anything else."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise PayloadError(
            "The delivery's body is not JSON", "Set the webhook's content type to application/json."
        ) from None
    if not isinstance(payload, dict):
        raise PayloadError("The delivery's body is not a JSON object", "Check what sends to this address.")
    return payload


def parse(delivery: Delivery) -> Event:
    """The event of a delivery. Unknown keys are ignored, used ones must be what GitHub documents.

    Titles, bodies and comments are cut to `MAX_TITLE`, `MAX_BODY` and `MAX_COMMENT` characters. Raises `PayloadError`
    and nothing else.
    Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads
    """
    payload = decode(delivery.body)
    action = payload.get("action")
    if delivery.event not in HANDLED:
        return Unhandled("nothing is done for this event")
    if not isinstance(action, str) or not _ACTION.fullmatch(action):
        raise PayloadError("The delivery names no action", "Check what sends to this address.")
    kind = f"{delivery.event}.{action}"
    if kind not in _PAYLOADS:
        return Unhandled(f"nothing is done for {kind}")
    if payload.get("installation") is None:
        return Unhandled("the delivery belongs to no installation of the App")
    try:
        return _PAYLOADS[kind].model_validate(payload).event()
    except ValidationError as error:
        raise PayloadError(f"{kind} is not as documented: {_summary(error)}", "Check what sends it.") from None


def _summary(error: ValidationError) -> str:
    found = error.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found[:5])


def _text(value: object) -> object:
    """GitHub stores neither NUL nor lone surrogates; whatever carries them is made storable, not refused."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _cut(limit: int) -> BeforeValidator:
    def cut(value: object) -> object:
        text = _text(value)
        return text[:limit] if isinstance(text, str) else text

    return BeforeValidator(cut)


def _ref(value: str) -> str:
    if _BAD_REF.search(value):
        message = "no branch name that git accepts"
        raise ValueError(message)
    return value


_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/(?:[A-Za-z0-9_-]|\.[A-Za-z0-9_-]|\.\.[A-Za-z0-9._-])[A-Za-z0-9._-]{0,99}$"
_Id = Annotated[int, Field(ge=1, le=MAX_ID)]
_FullName = Annotated[str, StringConstraints(pattern=_NAME, max_length=200)]
_Login = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,100}(?:\[bot\])?$")]
_Sha = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
_Ref = Annotated[str, StringConstraints(min_length=1, max_length=250), AfterValidator(_ref)]
_Word = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,50}$")]


class _Payload(BaseModel):
    """Lenient about keys that are not used, strict about types of those that are."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", hide_input_in_errors=True)


class _Installation(_Payload):
    id: _Id


class _Repository(_Payload):
    id: _Id
    full_name: _FullName
    default_branch: _Ref

    def bound(self, installation: _Installation) -> Repository:
        return Repository(self.full_name, self.id, self.default_branch, installation.id)


class _Sender(_Payload):
    login: _Login
    type: Annotated[str, StringConstraints(max_length=50)]


class _Label(_Payload):
    name: Annotated[str, BeforeValidator(_text), StringConstraints(min_length=1, max_length=200)]


class _Issue(_Payload):
    number: _Id
    title: Annotated[str, _cut(MAX_TITLE)]
    body: Annotated[str, _cut(MAX_BODY)] = ""
    state: _Word
    pull_request: dict[str, Any] | None = None


class _IssuesPayload(_Payload):
    repository: _Repository
    installation: _Installation
    sender: _Sender
    label: _Label
    issue: _Issue

    def event(self) -> IssueLabeled | Unhandled:
        if self.issue.pull_request is not None:
            return Unhandled("the labelled issue is a pull request")
        return IssueLabeled(
            repository=self.repository.bound(self.installation),
            number=self.issue.number,
            title=self.issue.title,
            body=self.issue.body,
            label=self.label.name,
            sender=self.sender.login,
            sender_is_bot=self.sender.type != "User",
            is_open=self.issue.state == "open",
        )


class _Comment(_Payload):
    body: Annotated[str, _cut(MAX_COMMENT)] = ""


class _CommentPayload(_Payload):
    repository: _Repository
    installation: _Installation
    sender: _Sender
    comment: _Comment
    issue: _Issue

    def event(self) -> IssueCommented | Unhandled:
        if self.issue.pull_request is not None:
            return Unhandled("the comment is on a pull request")
        return IssueCommented(
            repository=self.repository.bound(self.installation),
            number=self.issue.number,
            title=self.issue.title,
            body=self.issue.body,
            comment=self.comment.body,
            sender=self.sender.login,
            sender_is_bot=self.sender.type != "User",
            is_open=self.issue.state == "open",
        )


class _App(_Payload):
    id: _Id


class _CheckSuite(_Payload):
    id: _Id
    head_sha: _Sha
    head_branch: Annotated[str, Field(max_length=250)] | None = None
    conclusion: _Word | None = None
    app: _App


class _CheckSuitePayload(_Payload):
    repository: _Repository
    installation: _Installation
    sender: _Sender
    check_suite: _CheckSuite

    def event(self) -> CheckSuiteCompleted:
        suite = self.check_suite
        return CheckSuiteCompleted(
            repository=self.repository.bound(self.installation),
            suite_id=suite.id,
            head_sha=suite.head_sha,
            head_branch=suite.head_branch or "",
            conclusion=suite.conclusion or "",
            app_id=suite.app.id,
            sender=self.sender.login,
        )


_PAYLOADS: dict[str, type[_IssuesPayload | _CommentPayload | _CheckSuitePayload]] = {
    "issues.labeled": _IssuesPayload,
    "issue_comment.created": _CommentPayload,
    "check_suite.completed": _CheckSuitePayload,
}
