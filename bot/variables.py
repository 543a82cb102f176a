"""Variables of the environment that are named like settings and are none: a typo would decide nothing, silently."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from pydantic import AliasChoices

from bot.settings import PREFIX, Settings

_COMPOSE = (
    "DATA",
    "ENGINE_GROUP",
    "ENGINE_SOCKET",
    "ENV_FILE",
    "IMAGE",
    "KEY",
    "POSTGRES_IMAGE",
    "POSTGRES_PASSWORD_FILE",
    "PUBLISHED_PORT",
    "PUBLISHED_WORKER_PORT",
)
"""What the compose files in deploy/ are told."""

BESIDE = frozenset(
    f"{PREFIX}{name}"
    for name in (
        "INTERPRETER_CHANGED",
        "NO_ENGINE",
        "REQUIRE_CHROMIUM",
        "REQUIRE_COMPOSE",
        "REQUIRE_GVISOR",
        "REQUIRE_POSTGRES",
        "SDISTS",
        "TEST_PYTHON",
        "YES",
        *_COMPOSE,
    )
)
"""Those that are no settings: of `make`, of the demo's preparation, of the tests, and of a container's inside."""
MOST_NAME, ALIKE = 100, 0.75


@dataclass(frozen=True, slots=True)
class Unknown:
    """A variable that is no setting; `nearest` is the setting most like it, empty where none is."""

    name: str
    nearest: str

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return f"Call it {self.nearest}, or unset it." if self.nearest else "Correct its name, or unset it."


def known() -> frozenset[str]:
    """Every name under which the environment may give a setting, and the few that other parts read."""
    aliases = [field.validation_alias for field in Settings.model_fields.values()]
    others = [str(name) for alias in aliases if isinstance(alias, AliasChoices) for name in alias.choices]
    return frozenset((*(f"{PREFIX}{name.upper()}" for name in Settings.model_fields), *others, *BESIDE))


def unknown(names: Iterable[str]) -> tuple[Unknown, ...]:
    """Those of `names`, each of which begins as settings do, that are none; case does not count, as in settings."""
    right = known()
    # without the prefix, which would make any two of them alike
    short = {name.removeprefix(PREFIX): name for name in sorted(right - BESIDE) if name.startswith(PREFIX)}
    found = []
    for name in names:
        if name.upper() not in right:
            near = get_close_matches(name.upper().removeprefix(PREFIX)[:MOST_NAME], short, 1, cutoff=ALIKE)
            found.append(Unknown(name[:MOST_NAME], short[near[0]] if near else ""))
    return tuple(found)
