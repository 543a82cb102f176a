"""Values out of an event's fields: of another kind than expected, they are as if they were not there."""

from collections.abc import Mapping
from typing import Any

from bot.repair.types import Message, Usage

Fields = Mapping[str, Any]


def text(fields: Fields, name: str) -> str:
    """A text, empty for anything else."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def whole(fields: Fields, name: str) -> int:
    """A whole number, 0 for anything else."""
    return maybe(fields, name) or 0


def maybe(fields: Fields, name: str) -> int | None:
    """A whole number, `None` for anything else."""
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def amount(fields: Fields, name: str) -> float:
    """A number, 0 for anything else."""
    value = fields.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def names(fields: Fields, name: str) -> tuple[str, ...]:
    """Texts of a list."""
    value = fields.get(name)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def total(fields: Fields, name: str, listed: tuple[str, ...]) -> int:
    """How many there are of what is listed: a long list is cut, and its length stands beside it."""
    return max(whole(inner(fields, "totals"), name), len(listed))


def inner(fields: Fields, name: str) -> Fields:
    """Fields within fields."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def several(fields: Fields, name: str) -> tuple[Fields, ...]:
    """A list of fields."""
    value = fields.get(name)
    return tuple(one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def usage(fields: Fields) -> Usage:
    """What calls cost."""
    tokens = whole(fields, "prompt_tokens"), whole(fields, "completion_tokens")
    return Usage(*tokens, amount(fields, "dollars"), estimated=fields.get("estimated") is True)


def messages(fields: Fields, name: str) -> tuple[Message, ...]:
    """A prompt."""
    return tuple(Message(text(one, "role"), text(one, "content")) for one in several(fields, name))
