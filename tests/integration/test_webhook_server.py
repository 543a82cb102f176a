"""The webhook over a real server and a real store: what an in-process client cannot show."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from payloads import SECRET, labeled, signed
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from bot.adapters.store import SqlInbox, connect, migrate
from bot.web.readiness import Readiness
from bot.web.server import PunctualProtocol, configured
from bot.web.webhook import create_app

BODY = json.dumps(labeled()).encode()
LIMIT = 100_000


class Impatient(PunctualProtocol):
    """Does not wait long."""

    head_seconds = 0.3


@contextmanager
def serving(inbox: SqlInbox, protocol: type[PunctualProtocol] = PunctualProtocol) -> Iterator[int]:
    ready = Readiness({"database": inbox.unready}).look
    app = create_app(inbox, (SecretStr(SECRET),), ready=ready, registry=CollectorRegistry(), max_body=LIMIT)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(configured(app, protocol=protocol))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[SqlInbox]:
    url = f"sqlite:///{tmp_path / 'regreen.sqlite'}"
    migrate(url)
    engine = connect(url)
    yield SqlInbox(engine)
    engine.dispose()


def test_a_chunked_flood_is_cut_off_at_the_limit(inbox: SqlInbox) -> None:
    head = "".join(f"{name}: {value}\r\n" for name, value in signed(BODY).items())
    with serving(inbox) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(f"POST /webhook HTTP/1.1\r\nHost: bot\r\nTransfer-Encoding: chunked\r\n{head}\r\n".encode())
        sent = 0
        answer = b""
        client.settimeout(0.05)
        while not answer and sent < 200 * LIMIT:
            try:
                client.sendall(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
                sent += 10_000
                answer = client.recv(4096)
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert answer.startswith(b"HTTP/1.1 413")
        assert sent < 20 * LIMIT
    assert inbox.pending(1) == ()


def test_deliveries_at_once_are_all_on_disk_when_they_are_answered(inbox: SqlInbox) -> None:
    with serving(inbox) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:

        def send(number: int) -> str:
            body = BODY + b" " * (number % 20)
            headers = signed(body, delivery_id=f"d-{number % 20}")
            outcome: str = client.post("/webhook", content=body, headers=headers).json()["outcome"]
            return outcome

        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(send, range(40)))
        assert client.get("/readyz").status_code == 200
    assert sorted(outcomes) == ["accepted"] * 20 + ["duplicate"] * 20
    assert len(inbox.pending(100)) == 20


def posted(port: int, body: bytes) -> str:
    headers = signed(body, delivery_id=f"d-{len(body)}")
    outcome: str = httpx.post(f"http://127.0.0.1:{port}/webhook", content=body, headers=headers).json()["outcome"]
    return outcome


def test_many_silent_connections_keep_nobody_out(inbox: SqlInbox) -> None:
    with serving(inbox) as port, ExitStack() as open_ones:
        for _ in range(70):
            open_ones.enter_context(socket.create_connection(("127.0.0.1", port)))
        assert posted(port, BODY) == "accepted"


def test_a_client_that_sends_no_whole_head_in_time_is_hung_up_on(inbox: SqlInbox) -> None:
    with serving(inbox, Impatient) as port, ExitStack() as open_ones:
        clients = [
            open_ones.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10)) for _ in range(20)
        ]
        for client in clients[:10]:
            client.sendall(b"POST /webhook HTTP/1.1\r\nX-Slow: ")
        dribbled, ended = 0, False
        clients[0].settimeout(0.02)
        while dribbled < 500 and not ended:
            try:
                clients[0].sendall(b"x")
                dribbled += 1
                ended = clients[0].recv(1) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                ended = True
        assert ended
        assert [hung_up(client) for client in clients[1:]] == [True] * 19
        assert posted(port, BODY) == "accepted"


def test_a_body_that_was_refused_unread_is_not_listened_to_for_long(inbox: SqlInbox) -> None:
    with serving(inbox, Impatient) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"POST /webhook HTTP/1.1\r\nHost: bot\r\nContent-Length: 90000\r\n\r\nx")
        assert client.recv(4096).startswith(b"HTTP/1.1 401")
        while True:
            try:
                client.sendall(b"x" * 10)
                if client.recv(4096) == b"":
                    break
            except ConnectionError:
                break


def test_a_connection_is_used_again_and_a_long_request_is_waited_for(inbox: SqlInbox) -> None:
    with serving(inbox, Impatient) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        for size in range(3):
            body = BODY + b" " * size
            head = "".join(f"{k}: {v}\r\n" for k, v in signed(body, delivery_id=f"d-{size}").items())
            client.sendall(f"POST /webhook HTTP/1.1\r\nHost: bot\r\nContent-Length: {len(body)}\r\n{head}\r\n".encode())
            for part in (body[:9], body[9:]):
                time.sleep(Impatient.head_seconds)
                client.sendall(part)
            answer = b""
            while not answer.endswith(b"}"):
                answer += client.recv(4096)
            assert answer.startswith(b"HTTP/1.1 202")
    assert len(inbox.pending(9)) == 3


def hung_up(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True
