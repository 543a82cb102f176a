"""What the static checks say of a patch: one value for each thing found."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a flag is about."""

    FRAMEWORK = "framework"
    ENVIRONMENT = "environment"
    LITERAL = "literal"
    STUB = "stub"
    EQUALITY = "equality"
    SWALLOWED = "swallowed"
    SKIP = "skip"
    PATCHING = "patching"
    IMPORT = "import"
    HIDDEN = "hidden"
    PROCESS = "process"
    OUTPUT = "output"
    HISTORY = "history"
    NETWORK = "network"
    TOLERANCE = "tolerance"
    DISABLED = "disabled"
    VALIDATION = "validation"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that a patch adds and that a cheat would add.

    `refuses` when no true fix is known to need it, else a person is shown it and the pull request is a draft. `says`
    completes a sentence that begins with the path; `line` counts from 1 in the patched file, 0 for the whole of it.
    """

    kind: Kind
    path: str
    says: str
    line: int = 0
    refuses: bool = False

    def __str__(self) -> str:
        """One line for people."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place} {self.says}"
