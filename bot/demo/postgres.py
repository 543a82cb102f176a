"""Postgres' programs for tests, from Debian's packages: found, or, agreed, installed without a cluster of the system.

What uses them makes a cluster of its own, in a directory and on a port of its own, and ends it.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.demo import machine
from bot.demo.machine import NotReadyError, Say

REQUIRE = "REGREEN_REQUIRE_POSTGRES"
PACKAGES = ("postgresql",)
INSTALLED = Path("/usr/lib/postgresql")
# Debian's package makes and starts a cluster unless its configuration says otherwise (pg_createcluster(8)).
NO_CLUSTER = (
    "mkdir -p /etc/postgresql-common/createcluster.d && "
    'echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/regreen.conf'
)


def programs(installed: Path = INSTALLED) -> Path | None:
    """The directory of initdb and postgres, the newest version's; `None` where this machine has none."""
    versions = [path.parent for path in installed.glob("*/bin/initdb") if (path.parent / "postgres").exists()]
    if versions:
        return max(versions, key=_version)
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found and shutil.which("postgres") else None


def provide(environ: Mapping[str, str], say: Say, found: Callable[[], Path | None] = programs) -> None:
    """Have the programs on this machine, or say what a person has to do.

    Raises `NotReadyError`, which says it, where `environ` requires Postgres.
    """
    if found():
        return
    try:
        machine.install(PACKAGES, "Tests of many workers need Postgres, and it is missing.", environ, say, NO_CLUSTER)
    except NotReadyError as error:
        if environ.get(REQUIRE):
            raise
        say(f"{error} Until then, what needs Postgres is left out.")


def _version(programs: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in programs.parent.name.split(".") if part.isdigit())
