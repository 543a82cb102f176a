"""What a delivery shows at a glance, before anything is decided: only for when it is looked at, and how often."""

import re
from typing import Any

from bot.errors import PayloadError
from bot.events.parsing import decode
from bot.events.types import Delivery

ENDS = {
    "issues": ("unlabeled", "closed", "deleted", "transferred"),
    "pull_request": ("unlabeled", "closed"),
}
_STOP = re.compile(r"/regreen[ \t]+stop\b", re.IGNORECASE)
_SPOKEN = {"issue_comment": "comment", "pull_request_review": "review", "pull_request_review_comment": "comment"}
PRESSES = ("requested_action", "rerequested")


def is_press(delivery: Delivery) -> bool:
    """Whether it tells of a button at a check run: the only one whose payload has no time of what was done."""
    return delivery.event == "check_run" and _payload(delivery).get("action") in PRESSES


def may_stop(delivery: Delivery) -> bool:
    """Whether what it tells of may end a run, by a word, a button, a label or an end: where not, it waits its turn."""
    if delivery.event in ENDS:
        return _payload(delivery).get("action") in ENDS[delivery.event]
    if delivery.event == "check_run":
        return _inner(_payload(delivery), "requested_action").get("identifier") == "stop"
    if delivery.event not in _SPOKEN:
        return False
    said = _inner(_payload(delivery), _SPOKEN[delivery.event]).get("body")
    return isinstance(said, str) and _STOP.search(said) is not None


def _inner(payload: dict[str, Any], name: str) -> dict[str, Any]:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


def _payload(delivery: Delivery) -> dict[str, Any]:
    try:
        return decode(delivery.body)
    except PayloadError:
        return {}
