"""Images on the engine: looked up, pulled, imported, layered, listed, removed."""

import tarfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import requests
import urllib3
from docker.errors import APIError, ImageNotFound, NotFound

from sandbox.containers.connection import Client, remove_container, require_room
from sandbox.containers.policy import DEADLINE_LABEL
from sandbox.environments.kept import StoredImage

TRANSFER_SECONDS = 600.0
LAYER_SECONDS = 4 * TRANSFER_SECONDS
"""After which nobody makes a layer any more: creating, filling, committing and removing have a deadline each."""

_UNNAMED = "<none>:<none>"
_IN_USE = 409


def image(client: Client, reference: str) -> str | None:
    """The content id of a local image."""
    try:
        return str(client.inspect_image(reference)["Id"])
    except ImageNotFound:
        return None


def pull(client: Client, reference: str, seconds: float) -> bool:
    """Pull; a registry that refuses, is unreachable or too slow is no error of the engine's."""
    end = time.monotonic() + seconds
    repository, tag = _split(reference)
    try:
        for line in client.pull(repository, tag=tag, stream=True, decode=True):
            if "error" in line or time.monotonic() > end:
                require_room(str(line.get("error", "")))
                return False
    except APIError as error:
        require_room(str(error.explanation))
        return False
    except (requests.ReadTimeout, urllib3.exceptions.ReadTimeoutError):
        return False
    return image(client, reference) is not None


def import_image(client: Client, rootfs_tar: Path, reference: str) -> str:
    """Make an image of a root file system's tar."""
    repository, tag = _split(reference)
    client.import_image(str(rootfs_tar), repository=repository, tag=tag)
    return str(client.inspect_image(reference)["Id"])


def layer(
    client: Client,
    base: str,
    archive: BinaryIO,
    reference: str,
    labels: tuple[Mapping[str, str], Mapping[str, str]],
) -> str:
    """Put a plain tar into a container that is never started, and commit that.

    `labels` are the image's and the container's. The latter's, and its deadline, are empty in the image: containers
    inherit an image's labels, and a reaper would take them for its own.
    """
    _require_plain(archive)
    theirs, own = labels
    own = {**own, DEADLINE_LABEL: str(round(time.time() + LAYER_SECONDS))}
    body = {
        "Image": base,
        "Cmd": ["/bin/true"],
        "Labels": {**theirs, **own},
        "HostConfig": {"NetworkMode": "none"},
    }
    container = str(client.create_container_from_config(body)["Id"])
    try:
        client.put_archive(container, "/", archive)
        repository, tag = _split(reference)
        conf = {"Labels": {**theirs, **dict.fromkeys(own, "")}}
        return str(client.commit(container, repository=repository, tag=tag, conf=conf)["Id"])
    finally:
        remove_container(client, container)


def images(client: Client, label: str, value: str) -> tuple[StoredImage, ...]:
    """The images with a label, unnamed ones too."""
    return tuple(
        StoredImage(
            str(found["Id"]),
            tuple(name for name in found.get("RepoTags") or () if name != _UNNAMED),
            found.get("Labels") or {},
        )
        for found in client.images(filters={"label": f"{label}={value}"})
    )


def remove_image(client: Client, reference: str) -> None:
    """Remove an image by name or id."""
    try:
        client.remove_image(reference)
    except NotFound:
        return
    except APIError as error:
        if error.status_code != _IN_USE:
            raise


def _require_plain(archive: BinaryIO) -> None:
    # The engine would run the image's own decompressor as root on the host (CVE-2026-41567).
    start = archive.read(tarfile.BLOCKSIZE)
    archive.seek(-len(start), 1)
    if start[257:262] != b"ustar":
        message = "not an uncompressed tar"
        raise ValueError(message)


def _split(reference: str) -> tuple[str, str]:
    repository, colon, tag = reference.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (reference, "latest")
