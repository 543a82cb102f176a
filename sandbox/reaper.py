"""Removes what dead processes left behind, and what is kept beyond its room; the living are told by their locks."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox.containers import owner
from sandbox.environments import kept
from sandbox.environments.caches import PackageCaches
from sandbox.environments.debian import remove_tree
from sandbox.environments.images import CACHES, ENVIRONMENTS
from sandbox.environments.kept import INSTALLATION_LABEL, KeptImages, Room, installation, key_of
from sandbox.locks import if_free

BASE = "base"


class Engine(owner.Engine, kept.Engine, Protocol):
    """What it takes of a `DockerEngine`; see there."""

    def reap(self, now: float) -> int:
        """Remove the containers whose deadline has passed."""
        ...


@dataclass(frozen=True, slots=True)
class Reaped:
    """How many went: containers, images of builds that died, their directories, and evicted images and caches."""

    containers: int = 0
    images: int = 0
    directories: int = 0
    evicted: int = 0
    caches: int = 0

    def __bool__(self) -> bool:
        """Whether anything went."""
        return any((self.containers, self.images, self.directories, self.evicted, self.caches))


class Reaper:
    """For one data directory on one engine; any number of processes may do this at once, at any time."""

    def __init__(self, engine: Engine, data_dir: Path, room: Room, log: Callable[[str], None] = lambda _: None) -> None:
        """Nothing is removed yet."""
        self._engine = engine
        self._data_dir = data_dir.absolute()
        self._kept = KeptImages(engine, self._data_dir, room.images, log)
        self._caches = PackageCaches(self._data_dir / CACHES, room.caches)

    def sweep(self, now: float) -> Reaped:
        """Remove what nobody alive needs; `now` is seconds since the epoch.

        Raises `EngineUnavailableError`, and `OSError` when the data directory cannot be written.
        """
        directories = self._directories()
        caches = self._caches.evict()
        containers = owner.sweep_dead(self._engine, self._data_dir) + self._engine.reap(now)
        return Reaped(containers, self._unnamed(), directories, len(self._kept.evict()), caches)

    def _directories(self) -> int:
        """Where environments and base images were being built by processes that are no more."""
        count = 0
        environments = self._data_dir / ENVIRONMENTS
        for key in {path.stem for path in environments.glob("*")}:
            lock = environments / f"{key}.lock"
            with if_free(lock) as free:
                if free:
                    count += _removed(environments / key, shutil.rmtree)
                    lock.unlink()
        base = self._data_dir / BASE
        if (base / BASE).is_dir():
            with if_free(base / f"{BASE}.lock") as free:
                count += _removed(base / BASE, remove_tree) if free else 0
        return count

    def _unnamed(self) -> int:
        """Images that were committed and never named, while nobody builds their key."""
        count = 0
        for image in self._engine.images(INSTALLATION_LABEL, installation(self._data_dir)):
            if image.references or not (key := key_of(image)):
                continue
            lock = self._data_dir / ENVIRONMENTS / f"{key}.lock"
            with if_free(lock) as free:
                if free:
                    self._engine.remove_image(image.image_id)
                    count += self._engine.image(image.image_id) is None
                    lock.unlink()
        return count


def _removed(directory: Path, remove: Callable[[Path], None]) -> bool:
    if not directory.is_dir():
        return False
    remove(directory)
    return True
