"""docker-compose for tests of the compose files."""

import shutil
import subprocess

from bot.demo.packages import Need

NEED = Need(("docker-compose",), "Tests of the compose files", "REGREEN_REQUIRE_COMPOSE")
_COMMANDS = (("docker-compose",), ("docker", "compose"))


def command() -> tuple[str, ...] | None:
    """How it is called here, `None` where this machine has none."""
    return next((words for words in _COMMANDS if shutil.which(words[0]) and _answers(words)), None)


def _answers(words: tuple[str, ...]) -> bool:
    return subprocess.run([*words, "version"], capture_output=True, check=False).returncode == 0  # noqa: S603 - ours
