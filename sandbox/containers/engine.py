"""The container engine: one run is one container, every call has a deadline.

Source: the Docker Engine API, through the docker SDK's low-level client.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import chain
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, BinaryIO

from sandbox.containers import policy, protocol
from sandbox.containers.archive import member, unpack
from sandbox.containers.attachment import GRACE_SECONDS
from sandbox.containers.connection import Connection, remove_container
from sandbox.containers.container import Containers
from sandbox.containers.quarantine import Stuck
from sandbox.containers.stream import Sink
from sandbox.environments import layers
from sandbox.environments.kept import StoredImage
from sandbox.spec import File, RunResult, RunSpec, Verdict

CALL_SECONDS = 60.0
RUNNING = 8
_DECISIVE = ("Cgroup", "Cpu", "Default", "ID", "Kernel", "Memory", "Pids", "Runtimes", "Security", "Swap", "Warnings")
"""How the names of those fields of the engine's `/info` begin that decide whether limits hold."""
_NO_LABELS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What an engine says of itself; `runtimes` are the OCI runtimes that it knows, `kernel` its host's release.

    `configuration` is a digest of what decides whether limits hold: where it stays the same, so do they.
    """

    version: str
    api_version: str
    runtimes: tuple[str, ...]
    kernel: str = ""
    default_runtime: str = ""
    configuration: str = ""


class DockerEngine:
    """Runs containers and keeps images on one engine; safe to use from several threads.

    Every method raises `EngineUnavailableError` when the engine does not answer within its deadline, and
    `DiskFullError` when it has no room.
    """

    def __init__(
        self,
        base_url: str,
        call_seconds: float = CALL_SECONDS,
        *,
        grace_seconds: float = GRACE_SECONDS,
        running: int = RUNNING,
        labels: Mapping[str, str] = _NO_LABELS,
    ) -> None:
        """`base_url` is a unix:// or tcp:// address; `call_seconds` bounds each single call.

        `grace_seconds` is how long the engine may take to end what it was told to kill; `running` how many containers
        run at once: further runs wait for their turn. Every container carries `labels` besides its own.
        """
        self._connection = Connection(base_url, call_seconds)
        seccomp = files("sandbox").joinpath("seccomp.json").read_text(encoding="utf-8")
        self.containers = Containers(self._connection, seccomp, grace_seconds, running, labels)
        self._labels = labels

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """Unpack the tar at /, run the command, bring back what it left in `spec.collect`.

        Raises `ImageMissingError`, and `TreeTooLargeError` when the archive does not unpack within the limits.
        """
        sink = io.BytesIO()
        return with_results(self._run(spec, archive, sink, None), sink.getvalue(), spec)

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        """Like `run` in the install phase: `proxy_dir` is /proxy, read-only; the tar of /env goes to `sink`.

        With `Limits.cache` there is a mount of that size at /cache, and its tar, after any number of empty blocks,
        follows that of /env. `Limits.results` and `Limits.cache` bound both the mounts and the bytes written to
        `sink`; `RunResult.results` is empty. Member names are relative to either, with `./` before them. Set
        `spec.collect` to /env.
        """
        return self._run(spec, archive, sink, PurePosixPath(proxy_dir))

    def _run(self, spec: RunSpec, archive: Iterable[bytes], sink: Sink, proxy_dir: PurePosixPath | None) -> RunResult:
        command = member(protocol.COMMAND, File(protocol.command(spec)))
        with self.containers.running, self.containers.started(spec, proxy_dir) as container:
            container.feed(chain(command, archive))
            return container.finish(spec, sink)

    def ping(self) -> EngineFacts:
        """What the engine says of itself."""
        with self._connection.open() as client:
            version, about = client.version(), client.info()
        return EngineFacts(
            str(version.get("Version", "")),
            str(version.get("ApiVersion", "")),
            tuple(sorted(about.get("Runtimes", ()))),
            str(about.get("KernelVersion", "")),
            str(about.get("DefaultRuntime", "")),
            _configuration(about),
        )

    def image(self, reference: str) -> str | None:
        """The content id of a local image, `None` where there is none."""
        with self._connection.open() as client:
            return layers.image(client, reference)

    def pull(self, reference: str, deadline: float) -> bool:
        """Try for `deadline` seconds to pull an image; `False` when no registry gave it."""
        with self._connection.open(deadline) as client:
            return layers.pull(client, reference, deadline)

    def import_image(self, rootfs_tar: Path, reference: str) -> str:
        """Make an image of a root file system's tar; returns its content id."""
        with self._connection.open(layers.TRANSFER_SECONDS) as client:
            return layers.import_image(client, rootfs_tar, reference)

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        """Put an uncompressed, already sanitised tar over `base` at / and name the result; returns its content id.

        `archive` is seekable; the labels are the image's too. The container that this takes is never started.
        Raises `ImageMissingError` when `base` is not here, `ValueError` when `archive` is no plain tar.
        """
        with self._connection.open(layers.TRANSFER_SECONDS) as client:
            return layers.layer(client, base, archive, reference, (labels, self._labels))

    def images(self, label: str, value: str) -> tuple[StoredImage, ...]:
        """The local images with a label, unnamed ones too."""
        with self._connection.open() as client:
            return layers.images(client, label, value)

    def remove_image(self, reference: str) -> None:
        """Remove an image; one that is not here, or that a container still uses, is no error."""
        with self._connection.open() as client:
            layers.remove_image(client, reference)

    def sweep(self, label: str, value: str | None) -> int:
        """Remove every container with this label (and value); returns how many."""
        wanted = label if value is None else f"{label}={value}"
        with self._connection.open() as client:
            found = client.containers(all=True, filters={"label": wanted})
            return sum(remove_container(client, str(container["Id"])) for container in found)

    def close(self) -> None:
        """Start no container from now on; those that run go on, unless they are swept."""
        self.containers.close()

    @property
    def quarantined(self) -> tuple[Stuck, ...]:
        """The runs that a stuck engine may not have ended, oldest first."""
        return self.containers.quarantine.held

    def release(self) -> tuple[Stuck, ...]:
        """Try again to remove what is left of the quarantined runs; returns those of which nothing is any more."""
        return self.containers.release()

    def reap(self, now: float) -> int:
        """Remove the containers of runs whose deadline has passed: nobody waits for those any more; returns how many.

        `now` is seconds since the epoch. Any number of workers may share an engine, since only time decides. What is
        left of this object's quarantined runs goes first; those are not counted.
        """
        self.release()
        with self._connection.open() as client:
            found = client.containers(all=True, filters={"label": policy.DEADLINE_LABEL})
            late = [one for one in found if _deadline(one.get("Labels") or {}) < now]
            return sum(remove_container(client, str(container["Id"])) for container in late)


def _configuration(about: Mapping[str, Any]) -> str:
    decisive = {name: value for name, value in about.items() if name.startswith(_DECISIVE)}
    return hashlib.sha256(json.dumps(decisive, sort_keys=True, default=str).encode()).hexdigest()


def with_results(result: RunResult, answer: bytes, spec: RunSpec) -> RunResult:
    """The run with the files of its tar of results; with none where that tar may be somebody else's."""
    return result if result.verdict is Verdict.FORGED else replace(result, results=unpack(answer, spec.limits.results))


def _deadline(labels: Mapping[str, str]) -> float:
    value = labels.get(policy.DEADLINE_LABEL, "")
    return float(value) if value.isdecimal() else float("inf")
