"""Postgres' programs for tests, installed without a cluster of the system.

What uses them makes a cluster of its own, in a directory and on a port of its own, and ends it.
"""

import shutil
from pathlib import Path

from bot.demo.packages import Need

INSTALLED = Path("/usr/lib/postgresql")
# Debian's package makes and starts a cluster unless its configuration says otherwise (pg_createcluster(8)).
NO_CLUSTER = (
    "mkdir -p /etc/postgresql-common/createcluster.d && "
    'echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/regreen.conf'
)

NEED = Need(("postgresql",), "Tests of many workers", "REGREEN_REQUIRE_POSTGRES", NO_CLUSTER)


def programs(installed: Path = INSTALLED) -> Path | None:
    """The directory of initdb and postgres, the newest version's; `None` where this machine has none."""
    versions = [path.parent for path in installed.glob("*/bin/initdb") if (path.parent / "postgres").exists()]
    if versions:
        return max(versions, key=_version)
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found and shutil.which("postgres") else None


def _version(programs: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in programs.parent.name.split(".") if part.isdigit())
