"""The proxy's clients are hostile: what they cannot smuggle through, and how little they can make it keep."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_tls import EchoServer, ProxyClient, client_hello, echo_server

from sandbox.network.clienthello import MAX_PIECES, NotTlsError, receive
from sandbox.network.decisions import MAX_DISTINCT, MAX_REFUSALS, UNRESOLVED, Decisions
from sandbox.network.egress import SOCKET_NAME, EgressProxy, Timeouts
from sandbox.network.origin import Origin
from sandbox.network.request_head import RefusedError, parse

HOST = "packages.example"


async def loopback(host: str, port: int) -> tuple[str, ...]:
    assert host == HOST
    assert port
    return ("127.0.0.1",)


@pytest.fixture
def server() -> Iterator[EchoServer]:
    with echo_server() as running:
        yield running


def proxy(directory: Path, *allow: Origin, header: float = 5) -> EgressProxy:
    return EgressProxy(directory, allow, allow, timeouts=Timeouts(header, 2, 5), resolve=loopback)


SMUGGLED = b"GET http://other.example/ HTTP/1.1"


@pytest.mark.parametrize(
    "head",
    [
        b"GET http://%b/a HTTP/1.1\r\nUser-Agent: x\n\n" + SMUGGLED,
        b"GET http://%b/a HTTP/1.1\r\nAccept: x\r\r" + SMUGGLED,
        b"GET http://%b/a HTTP/1.1\r\nAccept: x\0y",
        b"GET http://%b/a\n\nGET /b HTTP/1.1",
        b"GET http://%b/a\tb HTTP/1.1",
        b"GET http://%b/a b HTTP/1.1",
        b"GET  http://%b/a HTTP/1.1",
        b"GET http://%b/a HTTP/1.1 ",
        b"GET http://%b/\xe9 HTTP/1.1",
        b"GET\nhttp://%b/a HTTP/1.1",
        b"CONNECT %b\n HTTP/1.1",
        b"CONNECT %b HTTP/2",
        b"\r\n%b",
    ],
)
def test_a_head_that_two_parsers_might_read_differently_reaches_nobody(
    tmp_path: Path, server: EchoServer, head: bytes
) -> None:
    plain = Origin(HOST, server.port, tls=False)
    with proxy(tmp_path, plain, Origin(HOST)) as running, ProxyClient(tmp_path / SOCKET_NAME) as client:
        assert client.ask(head.replace(b"%b", f"{HOST}:{server.port}".encode()) + b"\r\n\r\n").split()[1] == b"400"
        assert [one.allowed for one in running.decisions()] == [False]
    assert server.connections == 0


def test_a_plain_request_carries_none_of_the_clients_headers() -> None:
    head = b"GET http://h.example/p?q=1#f HTTP/1.1\r\nUser-Agent: a\r\nAccept: b\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert parse(head).opening == (
        b"GET /p?q=1 HTTP/1.1\r\nHost: h.example:80\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    )


@pytest.mark.parametrize("host", ["a" * 254, "h\u00e9.example", "a%00b.example", "a/b", "", ".", "a_b!c.example"])
def test_a_host_that_is_no_name_is_a_bad_request_and_never_kept(host: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse(f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode("latin-1"))
    assert (caught.value.status[:3], caught.value.origin.host) == ("400", "?")


def test_decisions_are_kept_once_and_up_to_a_bound_and_the_rest_is_counted() -> None:
    decisions = Decisions()
    for number in range(3 * MAX_DISTINCT):
        for _ in range(2):
            decisions.add(Origin(f"h{number}.example"), allowed=False, reason="not on the list")
    assert len(decisions.kept()) == MAX_DISTINCT
    assert decisions.refusals == 6 * MAX_DISTINCT
    refused = decisions.refused()
    assert (len(refused.shown), len(refused.unlisted)) == (21, 20)
    assert refused.shown[-1] == f"and others, {6 * MAX_DISTINCT} refusals in all"


def test_only_what_an_operator_could_list_is_offered_for_listing() -> None:
    decisions = Decisions()
    decisions.add(Origin("a.example", 8443), allowed=False, reason="not on the list")
    decisions.add(Origin("b.example", 80, tls=False), allowed=False, reason="not on the list")
    decisions.add(Origin("c.example"), allowed=False, reason="it resolves to a link-local or metadata address")
    decisions.add(Origin("d.example"), allowed=False, reason="it resolves to a private, loopback or reserved address")
    refused = decisions.refused()
    assert (refused.unlisted, refused.private, len(refused.shown)) == (("a.example:8443",), ("d.example",), 4)


@pytest.mark.parametrize("request_", [b"CONNECT other.example:443 HTTP/1.1\r\n\r\n", b"nonsense\r\n\r\n", b""])
def test_after_a_thousand_refusals_of_any_kind_nobody_is_let_in_any_more(tmp_path: Path, request_: bytes) -> None:
    answered = 0
    with proxy(tmp_path, Origin(HOST)) as running:
        for _ in range(MAX_REFUSALS + 200):
            try:
                with ProxyClient(tmp_path / SOCKET_NAME) as client:
                    client.socket.sendall(request_)
                    client.socket.shutdown(1)
                    answered += client.socket.recv(1) == (b"H" if request_ else b"")
            except OSError:
                break
        assert MAX_REFUSALS <= answered <= MAX_REFUSALS + 64
        assert len(running.decisions()) <= 1
        with pytest.raises(ConnectionError):
            ProxyClient(tmp_path / SOCKET_NAME)


def test_so_many_connections_are_open_at_once_and_no_more(tmp_path: Path) -> None:
    with proxy(tmp_path, Origin(HOST)):
        clients = [ProxyClient(tmp_path / SOCKET_NAME) for _ in range(64)]
        with ProxyClient(tmp_path / SOCKET_NAME) as late:
            assert late.socket.recv(1) == b""
        assert clients[0].connect("other.example:443").split()[1] == b"403"
        for client in clients:
            client.socket.close()


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_hello_in_any_number_of_pieces_is_looked_at_a_bounded_number_of_times(size: int) -> None:
    hello = client_hello(HOST)
    reads = 0

    async def read(limit: int) -> bytes:
        nonlocal reads
        assert limit >= size
        reads += 1
        return hello[(reads - 1) * size : reads * size]

    if len(hello) <= size * MAX_PIECES:
        assert asyncio.run(receive(read)) == (hello, HOST)
    else:
        with pytest.raises(NotTlsError, match="truncated"):
            asyncio.run(receive(read))
    assert reads <= MAX_PIECES


@pytest.mark.parametrize(("failures", "status", "reason"), [(2, b"200", ""), (9, b"502", UNRESOLVED)])
def test_a_resolver_that_cannot_tell_just_now_is_asked_again_a_few_times(
    tmp_path: Path, server: EchoServer, failures: int, status: bytes, reason: str
) -> None:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        asked.append(f"{host}:{port}")
        if len(asked) <= failures:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return ("127.0.0.1",)

    origin = Origin(HOST, server.port)
    times = Timeouts(2, 5, 5, pause=0.01)
    with (
        EgressProxy(tmp_path, {origin}, {origin}, timeouts=times, resolve=resolve) as running,
        ProxyClient(tmp_path / SOCKET_NAME) as client,
    ):
        assert client.connect(f"{HOST}:{server.port}").split()[1] == status
        assert "".join(one.reason for one in running.decisions()) == reason
        assert running.refused().unlisted == ()
    assert 1 < len(asked) <= 4


def test_a_name_that_passed_the_check_is_not_looked_up_again_for_the_next_connection(
    tmp_path: Path, server: EchoServer
) -> None:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        asked.append(f"{host}:{port}")
        return ("127.0.0.1",) if len(asked) == 1 else ("169.254.169.254",)

    origin = Origin(HOST, server.port)
    with EgressProxy(tmp_path, {origin}, {origin}, timeouts=Timeouts(2, 2, 5), resolve=resolve):
        for _ in range(2):
            with ProxyClient(tmp_path / SOCKET_NAME) as client:
                assert client.connect(f"{HOST}:{server.port}").split()[1] == b"200"
    assert len(asked) == 1
