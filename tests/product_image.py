"""Images made by the classic builder on a base made without a registry, as the Dockerfile makes the product's."""

import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import docker

ROOT = Path(__file__).parents[1]


def build(client: Any, tag: str, context: io.BytesIO, arguments: Mapping[str, str]) -> str:
    """Build with the host's network: the package registry may only be reachable as the host reaches it."""
    lines = client.api.build(
        fileobj=context,
        custom_context=True,
        tag=tag,
        buildargs=dict(arguments),
        network_mode="host",
        rm=True,
        forcerm=True,
        decode=True,
    )
    said = list(lines)
    problems = [line["error"] for line in said if "error" in line]
    assert not problems, [*problems, "".join(line.get("stream", "") for line in said)[-3000:]]
    return tag


def product_context(ca_bundle: Path | None) -> io.BytesIO:
    """The build context: what .dockerignore lets through, and the CA bundle of a host behind an inspecting proxy."""
    patterns = docker.utils.build.PatternMatcher((ROOT / ".dockerignore").read_text().splitlines())

    def fill(archive: tarfile.TarFile) -> None:
        for path in sorted(patterns.walk(str(ROOT))):
            archive.add(ROOT / path, path, recursive=False)
        archive.add(ROOT / "Dockerfile", "Dockerfile")
        if ca_bundle:
            archive.add(ca_bundle, "ca/host.crt")

    return packed(fill)


def packed(fill: Callable[[tarfile.TarFile], None]) -> io.BytesIO:
    """What `fill` puts into an archive."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        fill(archive)
    target.seek(0)
    return target
