"""What a delivery shows at a glance, before anything is decided: only for when it is looked at, and how often."""

import re
from dataclasses import dataclass
from typing import Any

from bot.errors import PayloadError
from bot.events.parsing import decode
from bot.events.types import Delivery

ENDS = {
    "issues": ("unlabeled", "closed", "deleted", "transferred"),
    "pull_request": ("unlabeled", "closed"),
}
PRESSES = ("requested_action", "rerequested")
MAX_LANE = 200
_STOP = re.compile(r"/regreen[ \t]+stop\b", re.IGNORECASE)
_SPOKEN = {"issue_comment": "comment", "pull_request_review": "review", "pull_request_review_comment": "comment"}


@dataclass(frozen=True, slots=True)
class Glance:
    """`lane` names what deliveries are decided one after the other in: a repository, else an installation.

    `may_stop` says whether what it tells of may end a run, by a word, a button, a label or an end; where not, it waits
    its turn. `is_press` says whether it tells of a button at a check run: the only delivery whose payload has no time
    of what was done.
    """

    lane: str = ""
    may_stop: bool = False
    is_press: bool = False


def glance(delivery: Delivery) -> Glance:
    """Reads the body once; one that is no JSON shows nothing."""
    try:
        payload = decode(delivery.body)
    except PayloadError:
        return Glance()
    pressed = delivery.event == "check_run" and payload.get("action") in PRESSES
    return Glance(_lane(payload), _may_stop(delivery.event, payload), pressed)


def _lane(payload: dict[str, Any]) -> str:
    name = _inner(payload, "repository").get("full_name")
    if isinstance(name, str):
        return name.casefold()[:MAX_LANE].replace("\0", "").encode(errors="replace").decode()
    number = _inner(payload, "installation").get("id")
    return f"installation {number}" if isinstance(number, int) and 0 <= number < 2**63 else ""


def _may_stop(event: str, payload: dict[str, Any]) -> bool:
    if event in ENDS:
        return payload.get("action") in ENDS[event]
    if event == "check_run":
        return _inner(payload, "requested_action").get("identifier") == "stop"
    if event not in _SPOKEN:
        return False
    said = _inner(payload, _SPOKEN[event]).get("body")
    return isinstance(said, str) and _STOP.search(said) is not None


def _inner(payload: dict[str, Any], name: str) -> dict[str, Any]:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}
