"""A container engine without containers, for what prepares environments."""

import io
import tarfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from sandbox.spec import RunResult, RunSpec, Verdict

BASE = "base:1"


class ScriptedEngine:
    """Knows the base image; each install ends as `result` says and leaves one file in /env."""

    def __init__(self, result: RunResult | None = None, seconds: float = 0.0, member: str = "./lib/a.py") -> None:
        self.images = {BASE: "sha256:base"}
        self.result = result or RunResult(Verdict.EXITED, 0, b"", output_truncated=False)
        self.seconds = seconds
        self.member = member
        self.specs: list[RunSpec] = []
        self.archives: list[dict[str, bytes]] = []
        self.layers: list[tuple[str, str, Mapping[str, str], list[str]]] = []

    def image(self, reference: str) -> str | None:
        return self.images.get(reference)

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: BinaryIO) -> RunResult:
        assert proxy_dir.is_absolute()
        assert (proxy_dir / "egress.sock").is_socket()
        time.sleep(self.seconds)
        self.specs.append(spec)
        self.archives.append(files(io.BytesIO(b"".join(archive))))
        with tarfile.open(fileobj=sink, mode="w") as writer:
            entry = tarfile.TarInfo(self.member)
            entry.size = 1
            writer.addfile(entry, io.BytesIO(b"1"))
        return self.result

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        self.layers.append((base, reference, labels, sorted(files(archive))))
        self.images[reference] = f"sha256:{reference}"
        return self.images[reference]


def files(archive: BinaryIO) -> dict[str, bytes]:
    """The regular files of a tar."""
    with tarfile.open(fileobj=archive) as reader:
        streams = ((entry.name, reader.extractfile(entry)) for entry in reader.getmembers() if entry.isreg())
        return {name: stream.read() for name, stream in streams if stream}
