"""When what a delivery tells of was said, as its payload has it."""

import re
from datetime import datetime
from typing import Any

from bot.errors import PayloadError
from bot.events.parsing import decode
from bot.events.types import Delivery
from bot.moments import Moment

_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)")
_SOURCES = {
    "issue_comment": ("comment", "created_at"),
    "pull_request_review": ("review", "submitted_at"),
    "pull_request_review_comment": ("comment", "created_at"),
    "check_suite": ("check_suite", "updated_at"),
    "workflow_run": ("workflow_run", "updated_at"),
}
_ENDINGS = {
    ("issues", "labeled"): ("issue", "updated_at"),
    ("issues", "closed"): ("issue", "closed_at"),
    ("pull_request", "labeled"): ("pull_request", "updated_at"),
    ("pull_request", "closed"): ("pull_request", "closed_at"),
    ("check_run", "completed"): ("check_run", "completed_at"),
}
"""A label that is taken off, and a button, have no time of their own: what changed last may be something else."""


def moment(delivery: Delivery) -> Moment:
    """The moment, by GitHub's clock where the payload has such a time, and in any case by ours."""
    try:
        payload = decode(delivery.body)
    except PayloadError:
        return Moment(0.0, delivery.received)
    action = payload.get("action")
    if delivery.event in {"check_suite", "workflow_run"} and action != "completed":
        return Moment(0.0, delivery.received)
    where = _SOURCES.get(delivery.event) or _ENDINGS.get((delivery.event, action if isinstance(action, str) else ""))
    return Moment(_seconds(payload, *where) if where else 0.0, delivery.received)


def _seconds(payload: dict[str, Any], part: str, name: str) -> float:
    inner = payload.get(part)
    text = inner.get(name) if isinstance(inner, dict) else None
    if not isinstance(text, str) or not _TIME.fullmatch(text):
        return 0.0
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0
