"""What a self-check's containers did, and what is found from it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sandbox.spec import Limits, RunResult


class Container(StrEnum):
    """The containers that a check runs."""

    AROUND = "around"
    MEMORY = "memory"
    PIDS = "pids"
    FLOOD = "flood"
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True)
class Probe:
    """One limit, and whether it held when something tried to break it.

    `seen` is what happened, untrusted and of at most 300 characters; `remedy` what would help where it does not hold.
    """

    name: str
    holds: bool
    seen: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Observed:
    """What one container did. `promised` are the writable mounts' sizes in bytes, `kernel` is the host's release."""

    result: RunResult
    limits: Limits
    promised: Mapping[str, int]
    kernel: str

    def about(self, what: str) -> Mapping[str, Any] | None:
        """The last line that the container printed about something."""
        return next((line for line in reversed(self.lines()) if line.get("about") == what), None)

    def emulated(self, line: Mapping[str, Any]) -> bool:
        """Whether a kernel of the runtime's own answered, and not the host's."""
        return bool(self.kernel) and line["kernel"] != self.kernel

    def lines(self) -> list[Mapping[str, Any]]:
        """Every line of the report; others, and broken ones, are left out."""
        found: list[Mapping[str, Any]] = []
        for line in self.result.output.decode(errors="replace").splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
        return found
