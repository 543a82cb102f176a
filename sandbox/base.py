"""The sandbox's base image: a small system with Python and nothing else, pulled or built here."""

import fcntl
import io
import os
import shutil
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

from sandbox.debian import Debootstrap

DEFAULT_REFERENCE = "regreen-base:bookworm"
DEFAULT_PULL_FROM = "python:3.11-slim-bookworm"
PULL_SECONDS = 120.0

Log = Callable[[str], None]


class Engine(Protocol):
    """What getting the base image takes of a `DockerEngine`; see there."""

    def image(self, reference: str) -> str | None:
        """The content id of a local image."""
        ...

    def pull(self, reference: str, deadline: float) -> bool:
        """Try to pull an image."""
        ...

    def import_image(self, rootfs_tar: Path, reference: str) -> str:
        """Make an image of a root file system."""
        ...

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        """Put a tar over an image, and name the result."""
        ...


class Builder(Protocol):
    """Makes a root file system; `sandbox.debian.Debootstrap` is the real one."""

    def build(self, work: Path, log: Log) -> Path:
        """The root file system's tar, below `work`. Raises `ImageMissingError` with the command that would help."""
        ...


def ensure_base(
    engine: Engine,
    reference: str,
    *,
    work_dir: Path,
    log: Log,
    pull_from: str = DEFAULT_PULL_FROM,
    builder: Builder | None = None,
) -> str:
    """The content id of the base image: found, else pulled, else built with debootstrap and imported.

    The default reference belongs to no registry, so `pull_from` is pulled and named like it; empty skips that.
    Several processes may call this; one of them works. Raises `ImageMissingError`, `EngineUnavailableError`,
    `DiskFullError`.
    """
    if (found := engine.image(reference)) is not None:
        return found
    work_dir.mkdir(parents=True, exist_ok=True)
    with (work_dir / "base.lock").open("w") as lock:
        # The builder's own processes keep the lock as long as they live: an orphan of a killed one never meets us.
        os.set_inheritable(lock.fileno(), True)  # noqa: FBT003 - the standard library takes it by position
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (found := engine.image(reference) or _pulled(engine, reference, pull_from, log)) is not None:
            return found
        return _built(engine, reference, work_dir / "base", log, builder or Debootstrap(reference))


def _pulled(engine: Engine, reference: str, pull_from: str, log: Log) -> str | None:
    source = pull_from if reference == DEFAULT_REFERENCE else reference
    if not source:
        return None
    log(f"Pulling {source}")
    if not engine.pull(source, PULL_SECONDS):
        log(f"No registry gave {source}")
        return None
    if source == reference:
        return engine.image(reference)
    return engine.layer(source, _mount_point(), reference, {"regreen.base": source})


def _mount_point() -> BinaryIO:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as writer:
        directory = tarfile.TarInfo("env")
        directory.type, directory.mode = tarfile.DIRTYPE, 0o755
        writer.addfile(directory)
    archive.seek(0)
    return archive


def _built(engine: Engine, reference: str, work: Path, log: Log, builder: Builder) -> str:
    work.mkdir(exist_ok=True)
    try:
        rootfs_tar = builder.build(work, log)
        log(f"Importing {rootfs_tar.stat().st_size >> 20} MiB as {reference}")
        return engine.import_image(rootfs_tar, reference)
    finally:
        shutil.rmtree(work, ignore_errors=True)
