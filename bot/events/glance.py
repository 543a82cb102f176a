"""What a delivery shows at a glance, before anything is decided: only for when it is looked at, and how often."""

from typing import Any

from bot.errors import PayloadError
from bot.events.parsing import decode
from bot.events.types import Delivery

PRESSES = ("requested_action", "rerequested")


def is_press(delivery: Delivery) -> bool:
    """Whether it tells of a button at a check run: the only one whose payload has no time of what was done."""
    return delivery.event == "check_run" and _payload(delivery).get("action") in PRESSES


def _payload(delivery: Delivery) -> dict[str, Any]:
    try:
        return decode(delivery.body)
    except PayloadError:
        return {}
