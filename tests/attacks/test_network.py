"""What a run can reach: nothing."""

import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator

import pytest
from attacks_inside import Attack, came_through, told
from docker import APIClient

from sandbox.spec import Verdict

pytestmark = pytest.mark.engine

GREETING = b"reached"
SERVE = (
    "import socket,threading,sys\n"
    "def serve(s):\n"
    "  while True: s.accept()[0].send(b'reached')\n"
    "t = socket.create_server(('0.0.0.0', int(sys.argv[1])))\n"
    "u = socket.socket(socket.AF_UNIX); u.bind('\\0' + sys.argv[2]); u.listen()\n"
    "threading.Thread(target=serve, args=(t,)).start(); serve(u)\n"
)
FETCH = "import socket,sys; print(socket.create_connection((sys.argv[1], int(sys.argv[2])), 5).recv(99).decode())"


@pytest.mark.attack(7, "network")
def test_neither_addresses_nor_names_nor_raw_packets_get_out(attack: Attack) -> None:
    result = attack("network")
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
    assert len(told(result)) == 19
    assert came_through(result) == {}


@pytest.fixture
def listening() -> Iterator[tuple[int, str]]:
    """A port on every address of the host, and an abstract unix socket there; both greet."""
    name = f"regreen-{secrets.token_hex(8)}"
    with _everywhere() as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(f"\0{name}")
        unix.listen()
        for one in (tcp, unix):
            threading.Thread(target=_greet, args=(one,), daemon=True).start()
        yield tcp.getsockname()[1], name
        for one in (tcp, unix):
            one.shutdown(socket.SHUT_RDWR)


def _everywhere() -> socket.socket:
    if socket.has_dualstack_ipv6():
        return socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("0.0.0.0", 0))  # noqa: S104 (on every address, on purpose)


def _greet(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.sendall(GREETING)


@pytest.fixture
def network(client: APIClient) -> Iterator[str]:
    """A bridge between the host and containers. Its name is given back."""
    name = f"regreen-test-{secrets.token_hex(4)}"
    client.create_network(name, internal=True)
    yield name
    client.remove_network(name)


@pytest.fixture
def sibling(client: APIClient, base_image: str, network: str, listening: tuple[int, str]) -> Iterator[str]:
    """The address of a container on that bridge, which listens as the host does."""
    port, name = listening
    command = ["python3", "-c", SERVE, str(port), name]
    on_bridge = client.create_networking_config({network: client.create_endpoint_config()})
    created = client.create_container(base_image, command, networking_config=on_bridge)
    try:
        client.start(created)
        yield client.inspect_container(created)["NetworkSettings"]["Networks"][network]["IPAddress"]
    finally:
        client.remove_container(created, force=True)


def _reach(address: str, port: int) -> bytes:
    """From the host, by another process: tests themselves connect to loopback only."""
    for _ in range(50):
        done = subprocess.run([sys.executable, "-c", FETCH, address, str(port)], capture_output=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
        time.sleep(0.1)
    return done.stderr


@pytest.fixture
def host_addresses(client: APIClient, network: str) -> Iterable[str]:
    """Every address of this host that a container might try, the bridge's gateway among them."""
    found = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    gateway = client.inspect_network(network)["IPAM"]["Config"][0]["Gateway"]
    return sorted({address for address in (*found, gateway) if ":" not in address or socket.has_dualstack_ipv6()})


@pytest.mark.attack(8, "host and sibling containers")
def test_neither_the_host_nor_a_sibling_is_reached(
    attack: Attack, listening: tuple[int, str], sibling: str, host_addresses: list[str]
) -> None:
    port, name = listening
    reachable = [*host_addresses, sibling]
    assert [_reach(address, port) for address in reachable] == [GREETING] * len(reachable)
    result = attack("neighbours", str(port), name, *reachable, "127.0.0.1", "::1", "host.docker.internal")
    assert result.exit_code == 0
    assert len(told(result)) == len(reachable) + 3 + 5
    assert came_through(result) == {}
