"""The container engine: one run is one container, every call has a deadline.

Source: the Docker Engine API, through the docker SDK's low-level client.
"""

import hashlib
import io
import json
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from docker.errors import APIError, NotFound

from sandbox import layers, policy, protocol
from sandbox.archive import member, unpack
from sandbox.attachment import GRACE_SECONDS, Attachment
from sandbox.connection import Client, Connection, remove_container
from sandbox.errors import TreeTooLargeError
from sandbox.kept import StoredImage
from sandbox.spec import File, RunResult, RunSpec, Verdict
from sandbox.stream import Output, Sink

CALL_SECONDS = 60.0
_NOT_RUNNING = 409
_DECISIVE = ("Cgroup", "Cpu", "Default", "ID", "Kernel", "Memory", "Pids", "Runtimes", "Security", "Swap", "Warnings")
"""How the names of those fields of the engine's `/info` begin that decide whether limits hold."""


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

    def __init__(self, base_url: str, call_seconds: float = CALL_SECONDS) -> None:
        """`base_url` is a unix:// or tcp:// address; `call_seconds` bounds each single call."""
        self._connection = Connection(base_url, call_seconds)
        self._seccomp = files("sandbox").joinpath("seccomp.json").read_text(encoding="utf-8")

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """Unpack the tar at /, run the command, bring back what it left in `spec.collect`.

        Raises `ImageMissingError`, and `TreeTooLargeError` when the archive does not unpack within the limits.
        """
        sink = io.BytesIO()
        result = self._run(spec, archive, sink, None)
        results = {} if result.verdict is Verdict.FORGED else unpack(sink.getvalue(), spec.limits.results)
        return RunResult(
            result.verdict, result.exit_code, result.output, result.output_truncated, results, result.seconds
        )

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        """Like `run` in the install phase: `proxy_dir` is /proxy, read-only; the tar of /env goes to `sink`.

        With `Limits.cache` there is a mount of that size at /cache, and its tar, after any number of empty blocks,
        follows that of /env. `Limits.results` and `Limits.cache` bound both the mounts and the bytes written to
        `sink`; `RunResult.results` is empty. Member names are relative to either, with `./` before them. Set
        `spec.collect` to /env.
        """
        return self._run(spec, archive, sink, PurePosixPath(proxy_dir))

    def _run(self, spec: RunSpec, archive: Iterable[bytes], sink: Sink, proxy_dir: PurePosixPath | None) -> RunResult:
        deadline = time.time() + spec.limits.wall_seconds + GRACE_SECONDS + self._connection.call_seconds
        with self._connection.open() as client:
            image = client.inspect_image(spec.image)
            policy.require_harmless(spec.image, image["Config"] or {})
            # By its id: the name may come to mean another image in between.
            checked = replace(spec, image=str(image["Id"]))
            body = policy.arguments(checked, self._seccomp, round(deadline), proxy_dir)
            container = str(client.create_container_from_config(body)["Id"])
            try:
                return self._attend(client, container, spec, archive, sink)
            finally:
                remove_container(client, container)

    def _attend(self, client: Client, container: str, spec: RunSpec, archive: Iterable[bytes], sink: Sink) -> RunResult:
        secret = secrets.token_hex(protocol.SECRET_BYTES).encode()
        output = Output(spec.limits, sink, protocol.UNPACKED, secret)
        command = member(protocol.COMMAND, File(protocol.command(spec)))
        with Attachment(client, container, self._connection.call_seconds) as attachment:
            client.start(container)
            started = time.monotonic()
            attachment.feed(chain((secret + b"\n",), command, archive))
            killed = attachment.drain(output, spec.limits.wall_seconds, lambda: self._kill(container))
            seconds = time.monotonic() - started
        code = int(client.wait(container, timeout=GRACE_SECONDS)["StatusCode"])
        state: Mapping[str, Any] = client.inspect_container(container)["State"]
        # The last frames may carry a breach that needed no kill any more.
        forged = Verdict.FORGED if output.forged else None
        verdict = Verdict.OOM if state["OOMKilled"] else killed or output.breach or forged or Verdict.EXITED
        if verdict is Verdict.EXITED and not output.marked:
            log = output.log.value.decode(errors="replace")[:300].strip()
            raise TreeTooLargeError(f"The tree does not unpack: {log}", "Raise the limits on size and files.")
        return RunResult(
            verdict=verdict,
            exit_code=code if killed is None else None,
            output=output.log.value,
            output_truncated=output.log.truncated,
            seconds=seconds,
        )

    def _kill(self, container: str) -> None:
        with self._connection.open() as client:
            try:
                client.kill(container)
            except NotFound:
                return
            except APIError as error:
                if error.status_code != _NOT_RUNNING:
                    raise

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
            return layers.layer(client, base, archive, reference, labels)

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

    def reap(self, now: float) -> int:
        """Remove the containers of runs whose deadline has passed: nobody waits for those any more; returns how many.

        `now` is seconds since the epoch. Any number of workers may share an engine, since only time decides.
        """
        with self._connection.open() as client:
            found = client.containers(all=True, filters={"label": policy.DEADLINE_LABEL})
            late = [one for one in found if _deadline(one.get("Labels") or {}) < now]
            return sum(remove_container(client, str(container["Id"])) for container in late)


def _configuration(about: Mapping[str, Any]) -> str:
    decisive = {name: value for name, value in about.items() if name.startswith(_DECISIVE)}
    return hashlib.sha256(json.dumps(decisive, sort_keys=True, default=str).encode()).hexdigest()


def _deadline(labels: Mapping[str, str]) -> float:
    value = labels.get(policy.DEADLINE_LABEL, "")
    return float(value) if value.isdecimal() else float("inf")
