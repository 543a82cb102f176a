"""The self-check on a real engine: everything holds, and what is loosened is found."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from sandbox.containers.engine import DockerEngine
from sandbox.selfchecks import selfcheck
from sandbox.spec import MIB

pytestmark = [pytest.mark.engine, pytest.mark.slow]

Loosen = Callable[[dict[str, Any]], None]


@dataclass
class LooseClient:
    """The SDK's client, but for what it says when a container is made."""

    client: Any
    loosen: Loosen

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def create_container_from_config(self, body: dict[str, Any], *arguments: Any) -> Any:
        self.loosen(body)
        return self.client.create_container_from_config(body, *arguments)


@dataclass
class LooseConnection:
    connection: Any
    loosen: Loosen

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    @contextmanager
    def open(self, *arguments: Any) -> Iterator[LooseClient]:
        with self.connection.open(*arguments) as client:
            yield LooseClient(client, self.loosen)


def broken(docker_host: str, image: str, loosen: Loosen, runtime: str | None = None) -> set[str]:
    """What the check finds on an engine that is told something else than the policy says."""
    engine: Any = DockerEngine(docker_host)
    engine.containers._connection = LooseConnection(engine.containers._connection, loosen)
    probes = selfcheck.check(engine, image, runtime=runtime, kernel=engine.ping().kernel)
    return {probe.name for probe in probes if not probe.holds}


def test_every_limit_holds(engine: DockerEngine, base_image: str, runtime: str | None) -> None:
    probes = selfcheck.check(engine, base_image, runtime=runtime, kernel=engine.ping().kernel)
    assert [f"{probe.name}: {probe.seen}" for probe in probes if not probe.holds] == []


LOOSENED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"PidsLimit": -1}, "processes"),
    ({"Binds": ["/var/run/docker.sock:/x.sock"]}, "host hidden"),
    ({"Binds": ["/etc:/hostetc:ro"]}, "host hidden"),
    ({"Ulimits": []}, "open and core files"),
)


@pytest.mark.parametrize(("argument", "name"), LOOSENED)
def test_one_argument_that_is_loosened_breaks_the_probe_of_that_limit_alone(
    docker_host: str, base_image: str, runtime: str | None, argument: dict[str, Any], name: str
) -> None:
    assert broken(docker_host, base_image, lambda body: body["HostConfig"].update(argument), runtime) == {name}


def many_arguments(body: dict[str, Any]) -> None:
    body["Env"] = [*body["Env"], "HTTPS_PROXY=http://proxy.example"]
    body["User"] = "10001:0"
    host = body["HostConfig"]
    host["Memory"] = host["MemorySwap"] = 2048 * MIB
    host["NetworkMode"] = "host"
    host["ReadonlyRootfs"] = False
    host["CapDrop"] = []
    host["SecurityOpt"] = ["seccomp=unconfined"]
    host["Tmpfs"] = dict.fromkeys(host["Tmpfs"], "rw,exec,mode=0777")


def test_all_that_are_loosened_are_found(docker_host: str, base_image: str) -> None:
    found = broken(docker_host, base_image, many_arguments)
    expected = {"memory", "network", "read-only root", "writable mounts", "system calls", "capabilities", "user"}
    assert found == expected | {"host hidden"}
