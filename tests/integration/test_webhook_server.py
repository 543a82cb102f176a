"""The webhook over a real server and a real store: what an in-process client cannot show."""

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from payloads import SECRET, labeled, signed
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from bot.adapters.store import SqlInbox, connect, migrate
from bot.web.webhook import create_app

BODY = json.dumps(labeled()).encode()
LIMIT = 100_000


@contextmanager
def serving(inbox: SqlInbox) -> Iterator[int]:
    app = create_app(inbox, (SecretStr(SECRET),), ready=inbox.unready, registry=CollectorRegistry(), max_body=LIMIT)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
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
