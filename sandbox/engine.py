"""The container engine: one run is one container, every call has a deadline.

Source: the Docker Engine API, through the docker SDK's low-level client.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sandbox.spec import RunResult, RunSpec

CALL_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What an engine says of itself; `runtimes` are the OCI runtimes that it knows."""

    version: str
    api_version: str
    runtimes: tuple[str, ...]


class DockerEngine:
    """Runs containers and keeps images on one engine; safe to use from several threads.

    Every method raises `EngineUnavailableError` when the engine does not answer within its deadline, and
    `DiskFullError` when it has no room.
    """

    def __init__(self, base_url: str, call_seconds: float = CALL_SECONDS) -> None:
        """`base_url` is a unix:// or tcp:// address; `call_seconds` bounds each single call."""
        self._base_url = base_url
        self._call_seconds = call_seconds

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """Unpack the tar at /, run the command, bring back what it left in `spec.collect`.

        Raises `ImageMissingError`, and `TreeTooLargeError` when the archive does not unpack within the limits.
        """
        raise NotImplementedError

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: BinaryIO) -> RunResult:
        """Like `run` in the install phase: `proxy_dir` is /proxy, read-only; the tar of /env goes to `sink`.

        `Limits.results` bounds both the tmpfs at /env and the bytes written to `sink`; `RunResult.results` is empty.
        Member names in the tar are relative to /env.
        """
        raise NotImplementedError

    def ping(self) -> EngineFacts:
        """What the engine says of itself."""
        raise NotImplementedError

    def image(self, reference: str) -> str | None:
        """The content id of a local image, `None` where there is none."""
        raise NotImplementedError

    def pull(self, reference: str, deadline: float) -> bool:
        """Try for `deadline` seconds to pull an image; `False` when no registry gave it."""
        raise NotImplementedError

    def import_image(self, rootfs_tar: Path, reference: str) -> str:
        """Make an image of a root file system's tar; returns its content id."""
        raise NotImplementedError

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        """Put an uncompressed, already sanitised tar over `base` at / and name the result; returns its content id.

        The container that this takes is never started. Raises `ImageMissingError` when `base` is not here.
        """
        raise NotImplementedError

    def remove_image(self, reference: str) -> None:
        """Remove an image; one that is not here is no error."""
        raise NotImplementedError

    def sweep(self, label: str, value: str | None) -> int:
        """Remove every container with this label (and value); returns how many."""
        raise NotImplementedError
