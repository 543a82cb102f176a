"""A container engine without containers, for what prepares environments."""

import io
import tarfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from sandbox.containers.stream import Sink
from sandbox.environments.kept import StoredImage
from sandbox.spec import RunResult, RunSpec, Verdict

BASE = "base:1"


class ScriptedEngine:
    """Knows the base image; each install ends as `result` says and leaves one file in /env, `content` or `size` bytes.

    Runtimes in `unfit` reach no socket. Where there is a package cache, each install adds a file to it. Images in
    `used` are not removed, as if containers ran in them.
    """

    def __init__(
        self,
        result: RunResult | None = None,
        seconds: float = 0.0,
        member: str = "./lib/a.py",
        size: int = 1,
        content: bytes = b"",
    ) -> None:
        self.images_by_name: dict[str, str] = {BASE: "sha256:base"}
        self.labels: dict[str, Mapping[str, str]] = {}
        self.result = result or RunResult(Verdict.EXITED, 0, b"", output_truncated=False)
        self.seconds = seconds
        self.member = member
        self.content = content or b"1" * size
        self.unfit: set[str | None] = set()
        self.used: set[str] = set()
        self.specs: list[RunSpec] = []
        self.archives: list[dict[str, bytes]] = []
        self.layers: list[tuple[str, str, Mapping[str, str], list[str]]] = []

    def image(self, reference: str) -> str | None:
        return self.images_by_name.get(reference)

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        assert proxy_dir.is_absolute()
        assert (proxy_dir / "egress.sock").is_socket()
        time.sleep(self.seconds)
        self.specs.append(spec)
        self.archives.append(files(io.BytesIO(b"".join(archive))))
        unreachable = spec.runtime in self.unfit
        sink.write(tar({self.member: self.content}))
        if spec.limits.cache:
            known = {name: data for name, data in self.archives[-1].items() if name.startswith("cache/")}
            found = {f"./{name.removeprefix('cache/')}": data for name, data in known.items()}
            sink.write(tar({**found, f"./{len(known)}": b"wheel"}))
        return RunResult(Verdict.EXITED, 121, b"", output_truncated=False) if unreachable else self.result

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        self.layers.append((base, reference, labels, sorted(files(archive))))
        self.images_by_name[reference] = f"sha256:{reference}"
        self.labels[reference] = labels
        return self.images_by_name[reference]

    def images(self, label: str, value: str) -> tuple[StoredImage, ...]:
        return tuple(
            StoredImage(self.images_by_name[name], (name,), labels)
            for name, labels in self.labels.items()
            if labels.get(label) == value
        )

    def remove_image(self, reference: str) -> None:
        if reference not in self.used:
            self.images_by_name.pop(reference, None)
            self.labels.pop(reference, None)


def tar(content: Mapping[str, bytes]) -> bytes:
    """A tar as GNU tar writes it, padded to a record."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as writer:
        for name, data in content.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            writer.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def files(archive: BinaryIO) -> dict[str, bytes]:
    """The regular files of a tar."""
    with tarfile.open(fileobj=archive) as reader:
        streams = ((entry.name, reader.extractfile(entry)) for entry in reader.getmembers() if entry.isreg())
        return {name: stream.read() for name, stream in streams if stream}
