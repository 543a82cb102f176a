"""What the commands do, over the wiring."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shown:
    """What a command prints, as plain values or as lines, and whether it ended well."""

    good: bool
    document: dict[str, Any]
    lines: list[str]
