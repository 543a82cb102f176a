"""Delivery bytes → frozen events. Everything in a payload is untrusted and validated here."""

import json
import re
from typing import Any, Protocol

from pydantic import ValidationError

from bot.errors import PayloadError
from bot.events import checks, issues, pulls, scopes
from bot.events.types import Delivery, Event, Unhandled


class _Payload(Protocol):
    @classmethod
    def model_validate(cls, obj: Any) -> "_Payload": ...

    def event(self) -> Event: ...


_PAYLOADS: dict[str, type[_Payload]] = {
    "issues.labeled": issues.Labeled,
    "issues.unlabeled": issues.Unlabeled,
    "issues.closed": issues.Ended,
    "issues.deleted": issues.Ended,
    "issues.transferred": issues.Ended,
    "issue_comment.created": issues.Commented,
    "pull_request.labeled": pulls.Labeled,
    "pull_request.unlabeled": pulls.Labeled,
    "pull_request.closed": pulls.Closed,
    "pull_request_review.submitted": pulls.Submitted,
    "pull_request_review_comment.created": pulls.LineCommented,
    "pull_request_review_thread.unresolved": pulls.Unresolved,
    "check_suite.completed": checks.SuiteCompleted,
    "check_suite.rerequested": checks.SuiteAsked,
    "check_run.completed": checks.RunCompleted,
    "check_run.rerequested": checks.RunAsked,
    "check_run.requested_action": checks.RunAsked,
    "workflow_run.completed": checks.WorkflowCompleted,
    "status": checks.Status,
    "push": scopes.Push,
    "repository.archived": scopes.RepositoryEnded,
    "repository.deleted": scopes.RepositoryEnded,
    "repository.renamed": scopes.RepositoryEnded,
    "repository.transferred": scopes.RepositoryEnded,
    "installation.created": scopes.Installation,
    "installation.deleted": scopes.Installation,
    "installation.suspend": scopes.Installation,
    "installation.unsuspend": scopes.Installation,
    "installation.new_permissions_accepted": scopes.Installation,
    "installation_repositories.added": scopes.Selection,
    "installation_repositories.removed": scopes.Selection,
}

KINDS = frozenset(_PAYLOADS)
"""Events, with their actions where they have any, that something may be done for."""

HANDLED = frozenset(kind.partition(".")[0] for kind in _PAYLOADS)
"""The events that a delivery may carry to be worth recording."""

_ACTION = re.compile(r"[a-z_]{1,50}")


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

    Titles and texts are cut to `MAX_TITLE` and `MAX_BODY` characters, and what a reader cannot see is taken out of
    them; a comment's is left in, since the reading of commands looks at it. Raises `PayloadError` and nothing else.
    Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads
    """
    payload = decode(delivery.body)
    if delivery.event not in HANDLED:
        return Unhandled("nothing is done for this event")
    kind = _kind(delivery.event, payload)
    if kind not in _PAYLOADS:
        return Unhandled(f"nothing is done for {kind}")
    if payload.get("installation") is None:
        return Unhandled("the delivery belongs to no installation of the App")
    try:
        return _PAYLOADS[kind].model_validate(payload).event()
    except ValidationError as error:
        raise PayloadError(f"{kind} is not as documented: {_summary(error)}", "Check what sends it.") from None


def _kind(event: str, payload: dict[str, Any]) -> str:
    if event in _PAYLOADS:
        return event
    action = payload.get("action")
    if not isinstance(action, str) or not _ACTION.fullmatch(action):
        raise PayloadError("The delivery names no action", "Check what sends to this address.")
    return f"{event}.{action}"


def _summary(error: ValidationError) -> str:
    found = error.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found[:5])
