"""Which process a container belongs to: a lock that the kernel gives back when that process ends tells who is dead."""

import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from sandbox.locks import Leases, if_free

OWNER_LABEL = "regreen.owner"
OWNERS = "owners"
KEPT_SECONDS = 3600.0
"""An owner found dead is remembered so long: the engine may still be making what it was asked for last."""
_DEAD = b"dead"


class Engine(Protocol):
    """What it takes of a `DockerEngine`; see there."""

    def sweep(self, label: str, value: str | None) -> int:
        """Remove the containers with a label."""
        ...


class Owner:
    """The identity of a process that makes containers; it lives as long as this object does."""

    def __init__(self, data_dir: Path) -> None:
        """Take a new identity. Raises `OSError`."""
        self._leases = Leases(data_dir / OWNERS)
        self._token = uuid.uuid4().hex
        self._leases.hold(self._token)

    @property
    def labels(self) -> Mapping[str, str]:
        """What every container carries that this process makes."""
        return {OWNER_LABEL: self._token}


def sweep_dead(engine: Engine, data_dir: Path) -> int:
    """Remove the containers of this directory's processes that are no more; returns how many.

    Raises `EngineUnavailableError`, `OSError`.
    """
    count = 0
    for path in (data_dir / OWNERS).glob("*"):
        with if_free(path) as free:
            if not free:
                continue
            count += engine.sweep(OWNER_LABEL, path.name)
            with suppress(FileNotFoundError):
                status = path.stat()
                # Until somebody finds it dead, the file is empty, and its time is its owner's start.
                if not status.st_size:
                    path.write_bytes(_DEAD)
                elif time.time() - status.st_mtime > KEPT_SECONDS:
                    path.unlink()
    return count
