"""The product's image and a Docker client, once for all tests that start the product in containers."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest
from product_image import build, product_context

TAG = f"regreen-image-test:{os.getpid()}"


@pytest.fixture(scope="session")
def client(docker_host: str) -> Iterator[Any]:
    found = docker.DockerClient(base_url=docker_host, timeout=600)
    yield found
    found.close()


@pytest.fixture(scope="session")
def image(client: Any, base_image: str, ca_bundle: Path | None) -> Iterator[str]:
    yield build(client, TAG, product_context(ca_bundle), {"BASE_IMAGE": base_image})
    client.images.remove(TAG, force=True)
    # The build stage has no name; the classic builder leaves it behind.
    client.images.prune(filters={"dangling": True, "label": ["regreen.build=1"]})
