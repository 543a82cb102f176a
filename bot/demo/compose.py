"""docker-compose for tests of the compose files, from Debian's package: found, or, agreed, installed."""

import shutil
import subprocess
from collections.abc import Callable, Mapping

from bot.demo import machine
from bot.demo.machine import NotReadyError, Say

REQUIRE = "REGREEN_REQUIRE_COMPOSE"
PACKAGES = ("docker-compose",)
_COMMANDS = (("docker-compose",), ("docker", "compose"))


def command() -> tuple[str, ...] | None:
    """How it is called here, `None` where this machine has none."""
    return next((words for words in _COMMANDS if shutil.which(words[0]) and _answers(words)), None)


def provide(environ: Mapping[str, str], say: Say, found: Callable[[], tuple[str, ...] | None] = command) -> None:
    """Have it on this machine, or say what a person has to do.

    Raises `NotReadyError`, which says it, where `environ` requires it.
    """
    if found():
        return
    try:
        machine.install(PACKAGES, "Tests of the compose files need docker-compose, and it is missing.", environ, say)
    except NotReadyError as error:
        if environ.get(REQUIRE):
            raise
        say(f"{error} Until then, tests of the compose files are left out.")


def _answers(words: tuple[str, ...]) -> bool:
    return subprocess.run([*words, "version"], capture_output=True, check=False).returncode == 0  # noqa: S603 - ours
