"""The environment images that a data directory has on an engine: who uses them, and which go when they are too many."""

import os
import re
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox.directories import make_private
from sandbox.locks import Leases, if_free
from sandbox.spec import MIB

GIB = 1024 * MIB
ENVIRONMENT_LABEL = "regreen.env"
INSTALLATION_LABEL = "regreen.installation"
KEY_LABEL = "regreen.key"
REPOSITORY_LABEL = "regreen.repository"
SIZE_LABEL = "regreen.bytes"

FORGOTTEN_SECONDS = 3600.0

_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image on an engine; `references` are its names, none for one that was never named or lost its name."""

    image_id: str
    references: tuple[str, ...]
    labels: Mapping[str, str]


class Engine(Protocol):
    """What it takes of a `DockerEngine`; see there."""

    def images(self, label: str, value: str) -> tuple[StoredImage, ...]:
        """The images with a label."""
        ...

    def image(self, reference: str) -> str | None:
        """The content id of a local image."""
        ...

    def remove_image(self, reference: str) -> None:
        """Remove an image unless a container uses it."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes that may be kept between runs: of environment images, and of package caches, all repositories together."""

    images: int = 20 * GIB
    caches: int = 4 * GIB


class KeptImages:
    """Counts only images that carry this data directory's own id: what another one has built is left alone.

    A key is in use while any process holds its lease, and while a container of its image exists. Several processes
    may share the directory.
    """

    def __init__(self, engine: Engine, data_dir: Path, most: int, log: Callable[[str], None] = lambda _: None) -> None:
        """`most` bounds the bytes of all images together, without what they share with their base."""
        self._engine = engine
        self._data_dir = data_dir
        self._uses = data_dir / "uses"
        self._leases = Leases(self._uses)
        self._most = most
        self._log = log

    def use(self, key: str) -> None:
        """Keep the image of this key, whether it is there yet or not, until `release`, or until this object goes."""
        self._leases.hold(key)

    def release(self) -> None:
        """Let every image go that `use` kept."""
        self._leases.release()

    def labels(self, key: str, repository: str, size: int) -> dict[str, str]:
        """The labels of an image, by which it is found again."""
        return {
            ENVIRONMENT_LABEL: "1",
            INSTALLATION_LABEL: installation(self._data_dir),
            KEY_LABEL: key,
            REPOSITORY_LABEL: repository,
            SIZE_LABEL: str(size),
        }

    def evict(self) -> tuple[str, ...]:
        """Remove the least recently used images, those in use excepted, until all fit; returns what went.

        Raises `EngineUnavailableError`, and `OSError` when the data directory cannot be written.
        """
        found = self._engine.images(INSTALLATION_LABEL, installation(self._data_dir))
        images = [image for image in found if image.references and key_of(image)]
        self._forget({key_of(image) for image in images})
        total = sum(_size(image) for image in images)
        gone: list[str] = []
        for image in sorted(images, key=self._last_use):
            if total <= self._most:
                break
            if self._removed(image):
                total -= _size(image)
                gone.extend(image.references)
        if gone:
            self._log(f"Evicted {len(gone)} environments, least recently used first; {total // MIB} MiB are left")
        if total > self._most:
            self._log(f"Environments in use take {total // MIB} MiB, more than the {self._most // MIB} MiB allowed")
        return tuple(gone)

    def _forget(self, keys: set[str]) -> None:
        """Uses of images that are no more; a build that is about to end may not be among the images yet."""
        for path in self._uses.glob("*"):
            with suppress(FileNotFoundError):
                if path.name in keys or time.time() - path.stat().st_mtime < FORGOTTEN_SECONDS:
                    continue
                with if_free(path) as free:
                    if free:
                        path.unlink()

    def _last_use(self, image: StoredImage) -> float:
        with suppress(OSError):
            return (self._uses / key_of(image)).stat().st_mtime
        return 0.0

    def _removed(self, image: StoredImage) -> bool:
        use = self._uses / key_of(image)
        with if_free(use) as free:
            if not free:
                return False
            for reference in image.references:
                self._engine.remove_image(reference)
            if any(self._engine.image(reference) for reference in image.references):
                return False
            use.unlink()
            return True


def key_of(image: StoredImage) -> str:
    """The key that an image was built for; empty for what is none."""
    found = _KEY.fullmatch(image.labels.get(KEY_LABEL, ""))
    return found.group() if found else ""


def installation(data_dir: Path) -> str:
    """The id of a data directory, made when it is first asked for. Raises `OSError`."""
    path = data_dir / "installation"
    if not path.exists():
        make_private(data_dir)
        fresh = data_dir / f"installation.{uuid.uuid4().hex}"
        fresh.write_text(uuid.uuid4().hex, encoding="ascii")
        try:
            # Only one of several processes gives the directory its id, and nobody sees half of it.
            with suppress(FileExistsError):
                os.link(fresh, path)
        finally:
            fresh.unlink()
    return path.read_text(encoding="ascii")


def _size(image: StoredImage) -> int:
    value = image.labels.get(SIZE_LABEL, "")
    return int(value) if value.isdecimal() else 0
