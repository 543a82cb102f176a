"""The sandbox's base images: a small system with Python and perhaps one more toolchain, pulled or built here."""

import fcntl
import io
import os
import shlex
import shutil
import tarfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

from sandbox.containers.archive import pack
from sandbox.directories import make_private
from sandbox.environments.debian import Debootstrap
from sandbox.environments.toolchains import PYTHON, Toolchain
from sandbox.errors import EndedEarlyError, ImageMissingError, TreeTooLargeError
from sandbox.spec import MIB, Limits, RunResult, RunSpec, Verdict

PULL_SECONDS = 300.0

_PROBE = Limits(wall_seconds=30.0, memory=256 * MIB, tree=1 * MIB, scratch=16 * MIB, output_kept=4096, results=1 * MIB)
# A run sets its own path, so what only an image's path finds is not there.
_PATH = (("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),)

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

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """Run a command in an image."""
        ...

    def remove_image(self, reference: str) -> None:
        """Remove an image."""
        ...


class Builder(Protocol):
    """Makes a root file system; `sandbox.environments.debian.Debootstrap` is the real one."""

    def build(self, work: Path, log: Log) -> Path:
        """The root file system's tar, below `work`. Raises `ImageMissingError` with the command that would help."""
        ...


def ensure_base(
    engine: Engine,
    reference: str,
    *,
    work_dir: Path,
    log: Log,
    toolchain: Toolchain = PYTHON,
    builder: Builder | None = None,
) -> str:
    """The content id of a base image: found, else pulled, else built with debootstrap and imported.

    The toolchain's own reference belongs to no registry, so its `pull_from` is pulled and named like it, provided that
    the toolchain answers in it; an operator's reference is pulled as it is. Several processes may call this; one of
    them works. Raises `ImageMissingError`, `EngineUnavailableError`, `DiskFullError`.
    """
    if (found := engine.image(reference)) is not None:
        return found
    make_private(work_dir)
    with (work_dir / "base.lock").open("w") as lock:
        # The builder's own processes keep the lock as long as they live: an orphan of a killed one never meets us.
        os.set_inheritable(lock.fileno(), True)  # noqa: FBT003 - the standard library takes it by position
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (found := engine.image(reference) or _pulled(engine, reference, toolchain, log)) is not None:
            return found
        builder = builder or Debootstrap(reference, toolchain.packages)
        return _built(engine, reference, work_dir / "base", log, builder)


def _pulled(engine: Engine, reference: str, toolchain: Toolchain, log: Log) -> str | None:
    """What a registry gave, `None` where none did or its image lacks the toolchain."""
    ours = reference == toolchain.reference
    source = toolchain.pull_from if ours else reference
    log(f"Pulling {source}")
    if not engine.pull(source, PULL_SECONDS):
        log(f"No registry gave {source}")
        return None
    if ours:
        engine.layer(source, _additions(toolchain), reference, {"regreen.base": source})
    lacking = next((command for command in toolchain.commands if not _answers(engine, reference, command)), None)
    if lacking is None:
        return engine.image(reference)
    log(f"{source} does not answer `{lacking}`")
    if not ours:
        raise ImageMissingError(
            f"The base image {reference} does not answer `{lacking}`", "Name an image with Python and the toolchain."
        )
    engine.remove_image(reference)
    return None


def _additions(toolchain: Toolchain) -> BinaryIO:
    """The mount point of environments, and the toolchain's links."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as writer:
        directory = tarfile.TarInfo("env")
        directory.type, directory.mode = tarfile.DIRTYPE, 0o755
        writer.addfile(directory)
        for path, target in toolchain.links:
            link = tarfile.TarInfo(path)
            link.type, link.linkname, link.mode = tarfile.SYMTYPE, target, 0o777
            writer.addfile(link)
    archive.seek(0)
    return archive


def _answers(engine: Engine, image: str, command: str) -> bool:
    spec = RunSpec(f"base-{os.getpid()}", image, tuple(shlex.split(command)), limits=_PROBE, environment=_PATH)
    try:
        result = engine.run(spec, pack({"repo": {}, "regreen": {}}))
    except (TreeTooLargeError, EndedEarlyError):  # not even a shell and tar
        return False
    return (result.verdict, result.exit_code) == (Verdict.EXITED, 0)


def _built(engine: Engine, reference: str, work: Path, log: Log, builder: Builder) -> str:
    work.mkdir(exist_ok=True)
    try:
        rootfs_tar = builder.build(work, log)
        log(f"Importing {rootfs_tar.stat().st_size >> 20} MiB as {reference}")
        return engine.import_image(rootfs_tar, reference)
    finally:
        shutil.rmtree(work, ignore_errors=True)
