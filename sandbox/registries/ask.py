"""Asks a package client for its configuration, on this host or in an image that has it."""

import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox.containers.archive import pack
from sandbox.errors import SandboxError
from sandbox.spec import MIB, Limits, RunResult, RunSpec, Verdict

TIMEOUT = 60.0

Ask = Callable[[tuple[str, ...]], bytes | None]
"""argv → what it printed; `None` where there is no such client, or it failed."""

_LIMITS = Limits(wall_seconds=TIMEOUT, memory=512 * MIB, tree=1 * MIB, scratch=64 * MIB, results=1 * MIB)
_ENVIRONMENT = (
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/tmp"),  # noqa: S108 - the container's own
)


class Engine(Protocol):
    """What asking in an image takes of a `DockerEngine`."""

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """Run a command in an image."""
        ...


def on_host(argv: tuple[str, ...]) -> bytes | None:
    """Ask this host's own client, which knows what its user configured."""
    program = shutil.which(argv[0])
    if program is None:
        return None
    try:
        # Away from the working directory, which may hold a repository's own configuration.
        done = subprocess.run(  # noqa: S603 - our own argv, no shell
            (program, *argv[1:]), capture_output=True, check=True, timeout=TIMEOUT, cwd=Path("/")
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


@dataclass(frozen=True, slots=True)
class InImage:
    """Asks the client of an image, which knows its vendor's defaults; for hosts without one."""

    engine: Engine
    image: str
    run_id: str
    runtime: str | None = None

    def __call__(self, argv: tuple[str, ...]) -> bytes | None:
        """What it printed on both streams."""
        spec = RunSpec(self.run_id, self.image, argv, limits=_LIMITS, environment=_ENVIRONMENT, runtime=self.runtime)
        try:
            result = self.engine.run(spec, pack({"repo": {}, "regreen": {}}))
        except SandboxError:  # whoever installs in that image is told better
            return None
        return result.output if (result.verdict, result.exit_code) == (Verdict.EXITED, 0) else None
