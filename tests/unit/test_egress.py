import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from fakes_tls import EchoServer, ProxyClient, client_hello, echo_server

from sandbox.network.decisions import Decision, Refusals
from sandbox.network.egress import SOCKET_NAME, EgressProxy, Timeouts
from sandbox.network.origin import Origin

HOST = "packages.example"


class ScriptedResolver:
    """Answers with one tuple of addresses after the other, then with the last again."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> tuple[str, ...]:
        assert port
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not answer:
            raise OSError
        return answer


@pytest.fixture
def server() -> Iterator[EchoServer]:
    with echo_server() as running:
        yield running


def proxy(
    directory: Path, allow: set[Origin], resolver: ScriptedResolver, private: Iterable[Origin] | None = None
) -> EgressProxy:
    return EgressProxy(
        directory, allow, allow if private is None else private, timeouts=Timeouts(2, 2, 5), resolve=resolver
    )


def last(running: EgressProxy) -> Decision:
    return running.decisions()[-1]


def test_a_listed_host_is_reached_through_a_tunnel_that_names_it(tmp_path: Path, server: EchoServer) -> None:
    hello = client_hello(HOST)
    allow = {Origin(HOST, server.port)}
    with (
        proxy(tmp_path, allow, ScriptedResolver(("127.0.0.1",))) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        assert client.connect(f"{HOST.upper()}:{server.port}").split()[1] == b"200"
        client.socket.sendall(hello)
        assert client.receive(len(hello)) == hello
        assert last(running) == Decision(HOST, server.port, allowed=True, reason="listed")
        assert running.refused() == Refusals()


def test_a_hello_that_arrives_in_pieces_and_records_is_understood(tmp_path: Path, server: EchoServer) -> None:
    hello = client_hello(HOST)
    body = hello[5:]
    records = b"".join(hello[:3] + len(part).to_bytes(2, "big") + part for part in (body[:40], body[40:]))
    with (
        proxy(tmp_path, {Origin(HOST, server.port)}, ScriptedResolver(("127.0.0.1",))),
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        client.connect(f"{HOST}:{server.port}")
        for piece in (records[:3], records[3:60], records[60:]):
            client.socket.sendall(piece)
        assert client.receive(len(records)) == records


@pytest.mark.parametrize(
    ("authority", "reason"),
    [
        ("elsewhere.example:443", "not on the list"),
        (f"{HOST}:22", "not on the list"),
        ("127.0.0.1:443", "not on the list"),
        ("user@elsewhere.example:443", "not on the list"),
        (f"sub.{HOST}:443", "not on the list"),
    ],
)
def test_what_is_not_listed_is_refused_before_its_name_is_looked_up(
    tmp_path: Path, authority: str, reason: str
) -> None:
    resolver = ScriptedResolver(("127.0.0.1",))
    with proxy(tmp_path, {Origin(HOST)}, resolver) as running, ProxyClient(tmp_path / SOCKET_NAME) as client:
        assert client.connect(authority).split()[1] == b"403"
        assert (last(running).allowed, last(running).reason) == (False, reason)
    assert resolver.asked == []


@pytest.mark.parametrize("literal", ["127.0.0.1", "0x7f000001", "2130706433", "[::1]"])
def test_an_address_is_refused_even_when_it_is_listed(tmp_path: Path, literal: str) -> None:
    allow = {Origin.parse(literal)}
    with (
        proxy(tmp_path, allow, ScriptedResolver(("127.0.0.1",))) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        assert client.connect(f"{literal}:443").split()[1] == b"403"
        assert last(running).reason == "an address instead of a name"


@pytest.mark.parametrize("other", ["fronted.example", None])
def test_domain_fronting_and_a_missing_server_name_end_the_tunnel(
    tmp_path: Path, server: EchoServer, other: str | None
) -> None:
    with (
        proxy(tmp_path, {Origin(HOST, server.port)}, ScriptedResolver(("127.0.0.1",))) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        client.connect(f"{HOST}:{server.port}")
        assert client_hello(other) not in client.ask(client_hello(other))
        assert not last(running).allowed
        assert "server name" in last(running).reason


def test_a_tunnel_for_anything_but_tls_ends(tmp_path: Path, server: EchoServer) -> None:
    with (
        proxy(tmp_path, {Origin(HOST, server.port)}, ScriptedResolver(("127.0.0.1",))) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        client.connect(f"{HOST}:{server.port}")
        client.ask(b"SSH-2.0-client\r\n")
        assert last(running).reason == "the tunnel carries no TLS handshake"


def test_a_name_that_resolves_to_a_private_address_is_refused_unless_its_host_is_listed_as_private(
    tmp_path: Path, server: EchoServer
) -> None:
    allow = {Origin(HOST, server.port)}
    with (
        proxy(tmp_path, allow, ScriptedResolver(("127.0.0.1",)), private=()) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        assert client.connect(f"{HOST}:{server.port}").split()[1] == b"403"
        assert "private" in last(running).reason
    assert server.connections == 0


def test_a_private_host_is_one_at_the_ports_that_the_operator_opened_only(tmp_path: Path, server: EchoServer) -> None:
    asked = Origin(HOST, server.port)
    with (
        proxy(tmp_path, {asked, Origin(HOST)}, ScriptedResolver(("127.0.0.1",)), private={Origin(HOST)}) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        assert client.connect(f"{HOST}:{server.port}").split()[1] == b"403"
        assert "private" in last(running).reason
    assert server.connections == 0


@pytest.mark.parametrize("host", ["a..example", f"{'x' * 64}.example"])
def test_a_name_that_no_resolver_takes_is_refused_and_counted(tmp_path: Path, host: str) -> None:
    directory = tmp_path / "proxy"
    directory.mkdir()
    with EgressProxy(directory, {Origin(host)}) as running, ProxyClient(directory / SOCKET_NAME) as client:
        assert client.connect(f"{host}:443").split()[1] == b"502"
        assert [one.host for one in running.counted() if not one.allowed] == [host]


def test_one_private_address_among_public_ones_is_enough_to_refuse(tmp_path: Path) -> None:
    resolver = ScriptedResolver(("8.8.8.8", "10.0.0.1"))
    with (
        proxy(tmp_path, {Origin(HOST)}, resolver, private=()) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        assert client.connect(f"{HOST}:443").split()[1] == b"403"
        assert "private" in last(running).reason


def test_a_name_is_resolved_once_so_that_it_cannot_be_bound_anew_between_check_and_connection(
    tmp_path: Path, server: EchoServer
) -> None:
    resolver = ScriptedResolver(("127.0.0.1",), ("169.254.169.254",))
    hello = client_hello(HOST)
    with (
        proxy(tmp_path, {Origin(HOST, server.port)}, resolver),
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        client.connect(f"{HOST}:{server.port}")
        client.socket.sendall(hello)
        assert client.receive(len(hello)) == hello
    assert resolver.asked == [HOST]


def test_a_name_that_does_not_resolve_and_a_host_that_does_not_answer_are_told_apart(tmp_path: Path) -> None:
    resolver = ScriptedResolver((), ("127.0.0.1",))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with proxy(tmp_path, {Origin(HOST, port)}, resolver) as running:
            for reason in ("the name does not resolve", "it does not answer"):
                with ProxyClient(tmp_path / SOCKET_NAME) as client:
                    assert client.connect(f"{HOST}:{port}").split()[1] == b"502"
                assert last(running).reason == reason


def test_a_plain_request_goes_to_a_plain_origin_only_and_carries_nothing_of_the_clients_own_routing(
    tmp_path: Path, server: EchoServer
) -> None:
    allow = {Origin(HOST, server.port, tls=False)}
    with proxy(tmp_path, allow, ScriptedResolver(("127.0.0.1",))) as running:
        with ProxyClient(tmp_path / SOCKET_NAME) as client:
            asked = client.ask(f"GET http://{HOST}:{server.port}/simple/?x=1 HTTP/1.1\r\nHost: other\r\n\r\n".encode())
        assert asked.splitlines()[:2] == [b"GET /simple/?x=1 HTTP/1.1", f"Host: {HOST}:{server.port}".encode()]
        for request in (f"POST http://{HOST}:{server.port}/ HTTP/1.1", f"CONNECT {HOST}:{server.port} HTTP/1.1"):
            with ProxyClient(tmp_path / SOCKET_NAME) as client:
                assert client.ask(f"{request}\r\n\r\n".encode()).split()[1] == b"403"
        assert [one.allowed for one in running.decisions()] == [True, False, False]


def test_a_header_without_end_and_a_silent_client_are_dropped(tmp_path: Path) -> None:
    running = EgressProxy(tmp_path, {Origin(HOST)}, timeouts=Timeouts(header=0.2))
    with running, ProxyClient(tmp_path / SOCKET_NAME) as flooding, ProxyClient(tmp_path / SOCKET_NAME) as silent:
        assert flooding.ask(b"CONNECT " + b"a" * 20_000).split()[1] == b"400"
        assert silent.ask(b"").split()[1] == b"400"
        assert last(running) == Decision("?", 0, allowed=False, reason="no request that a proxy understands")


def test_the_socket_may_lie_deeper_than_a_socket_path_is_long(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    with EgressProxy(deep, ()):
        assert (deep / SOCKET_NAME).is_socket()
