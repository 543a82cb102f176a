"""What a killed worker left behind goes once its deadline is over; what somebody still waits for stays."""

import time
from collections.abc import Callable

import docker
import pytest

from sandbox.containers.engine import DockerEngine
from sandbox.containers.policy import DEADLINE_LABEL, RUN_LABEL

pytestmark = pytest.mark.engine


def test_only_containers_whose_deadline_has_passed_are_reaped(
    engine: DockerEngine, base_image: str, docker_host: str, run_label: Callable[[], str]
) -> None:
    label, now = run_label(), time.time()
    client = docker.DockerClient(base_url=docker_host)
    try:
        for deadline in (str(int(now) - 5), str(int(now) + 600), "soon"):
            labels = {RUN_LABEL: label, DEADLINE_LABEL: deadline}
            client.containers.create(base_image, ["true"], labels=labels, network_mode="none")
        assert engine.reap(now) >= 1
        left = client.containers.list(all=True, filters={"label": f"{RUN_LABEL}={label}"})
        assert {one.labels[DEADLINE_LABEL] for one in left} == {str(int(now) + 600), "soon"}
    finally:
        client.close()
