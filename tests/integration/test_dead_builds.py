"""A killed build leaves nothing once the reaper looked, and a live one is not disturbed."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.context import SpawnProcess
from pathlib import Path

import docker
import pytest

from sandbox.containers.engine import DockerEngine
from sandbox.containers.owner import OWNER_LABEL, Owner
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import INSTALL_LIMITS, InstallSettings
from sandbox.environments.kept import INSTALLATION_LABEL, Room, installation
from sandbox.reaper import Reaped, Reaper
from sandbox.spec import MIB, File, Recipe

pytestmark = [pytest.mark.engine, pytest.mark.enable_socket]

LONG_AGO = 0.0
"""No deadline has passed then, so that what others do on this engine plays no part."""
SETTINGS = InstallSettings(limits=replace(INSTALL_LIMITS, results=64 * MIB, cache=16 * MIB, wall_seconds=300))


def build(docker_host: str, base: str, data_dir: Path, script: str) -> None:
    """For a process of its own."""
    owner = Owner(data_dir)
    engine = DockerEngine(docker_host, labels=owner.labels)
    images = EnvironmentImages(engine, lambda *_: base, SETTINGS, data_dir=data_dir)
    recipe = Recipe("script", (("sh", "-c", script),), ("true",), "test", ())
    images.ensure("tests/dead", {"a": File(b"1")}, recipe)


class Machine:
    """What there is of one data directory on the engine."""

    def __init__(self, docker_host: str, base: str, data_dir: Path) -> None:
        self.client = docker.APIClient(docker_host, version="auto")
        self.engine = DockerEngine(docker_host)
        self.data_dir = data_dir
        self.arguments = (docker_host, base, data_dir)
        self.reaper = Reaper(self.engine, data_dir, Room())

    def start(self, script: str) -> SpawnProcess:
        process = multiprocessing.get_context("spawn").Process(target=build, args=(*self.arguments, script))
        process.start()
        return process

    def containers(self) -> list[str]:
        owners = {path.name for path in (self.data_dir / "owners").glob("*")}
        found = self.client.containers(all=True, filters={"label": OWNER_LABEL})
        return [one["Id"] for one in found if one["Labels"][OWNER_LABEL] in owners]

    def images(self) -> int:
        return len(self.engine.images(INSTALLATION_LABEL, installation(self.data_dir)))

    def wait(self, count: int) -> None:
        end = time.monotonic() + 60
        while len(self.containers()) != count:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture
def machine(docker_host: str, base_image: str, tmp_path: Path) -> Iterator[Machine]:
    found = Machine(docker_host, base_image, tmp_path)
    yield found
    for container in found.containers():
        found.client.remove_container(container, force=True)
    for image in found.engine.images(INSTALLATION_LABEL, installation(tmp_path)):
        found.engine.remove_image(image.image_id)
    found.client.close()


def test_what_a_killed_build_left_goes_at_the_next_look_and_a_live_build_goes_on(machine: Machine) -> None:
    dead, alive = machine.start("sleep 600"), machine.start("echo 1 >/env/x; sleep 15")
    machine.wait(2)
    assert machine.reaper.sweep(LONG_AGO) == Reaped()
    assert dead.pid is not None
    os.kill(dead.pid, signal.SIGKILL)
    dead.join()
    assert machine.reaper.sweep(LONG_AGO) == Reaped(containers=1, directories=1)
    assert len(machine.containers()) == 1
    alive.join()
    assert (alive.exitcode, machine.images(), machine.containers()) == (0, 1, [])
    machine.reaper.sweep(LONG_AGO)
    assert machine.images() == 1


def test_a_build_killed_at_any_moment_leaves_at_most_a_whole_image(machine: Machine) -> None:
    for number, seconds in enumerate((0.3, 0.8, 1.2, 1.6, 2.0, 2.6)):
        process = machine.start(f"head -c 30m /dev/zero >/env/{number}")
        end = time.monotonic() + 60
        while not (machine.data_dir / "environments").is_dir() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(seconds)
        process.kill()
        process.join()
        machine.reaper.sweep(LONG_AGO)
    time.sleep(1)
    machine.reaper.sweep(LONG_AGO)
    assert machine.containers() == []
    assert list((machine.data_dir / "environments").iterdir()) == []
    assert all(image.references for image in machine.engine.images(INSTALLATION_LABEL, installation(machine.data_dir)))
