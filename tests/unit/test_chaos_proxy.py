"""The proxy that stands for a network which fails."""

import socket
from collections.abc import Iterator

import pytest
from chaos.proxy import Proxy

SECONDS = 20.0


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(SECONDS)
        yield listening


@pytest.fixture
def proxy(server: socket.socket) -> Iterator[Proxy]:
    made = Proxy(server.getsockname()[1])
    yield made
    made.close()


def connected(proxy: Proxy, server: socket.socket) -> tuple[socket.socket, socket.socket]:
    client = socket.create_connection(("127.0.0.1", proxy.port), SECONDS)
    there, address = server.accept()
    there.settimeout(SECONDS)
    client.sendall(b"?")
    assert there.recv(1) == b"?"
    assert address[1] in proxy.local_ports
    return client, there


def test_what_is_sent_through_a_cut_arrives_late(proxy: Proxy, server: socket.socket) -> None:
    client, there = connected(proxy, server)
    with client, there:
        proxy.cut()
        client.sendall(b"late")
        there.settimeout(0.3)
        with pytest.raises(TimeoutError):
            there.recv(4)
        there.settimeout(SECONDS)
        proxy.mend(reset=False)
        assert there.recv(4) == b"late"


def test_a_reset_ends_every_connection_and_takes_new_ones(proxy: Proxy, server: socket.socket) -> None:
    client, there = connected(proxy, server)
    with client, there:
        proxy.cut()
        client.sendall(b"lost")
        proxy.mend(reset=True)
        for end in (client, there):
            try:
                ended = end.recv(4)
            except ConnectionError:
                ended = b""
            assert ended == b""
    for end in connected(proxy, server):
        end.close()


def test_an_end_is_not_told_while_nothing_passes(proxy: Proxy, server: socket.socket) -> None:
    client, there = connected(proxy, server)
    with there:
        proxy.cut()
        client.close()
        there.settimeout(0.3)
        with pytest.raises(TimeoutError):
            there.recv(1)
        proxy.mend(reset=False)
        there.settimeout(SECONDS)
        assert there.recv(1) == b""
