"""Clients that go away while what they send is being read: a line for whoever debugs, and no failure."""

import logging
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from fakes_github_site import REPOSITORY, github_site
from fakes_reading import ScriptedReader
from fakes_sessions import FakeEndedSessions
from fakes_store import FakeInbox, FakeTime
from fakes_wishes import FakeWishes
from payloads import SECRET, signed
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.web.access import Access
from bot.web.background import Background
from bot.web.readiness import Readiness
from bot.web.sessions import Attempts, Sessions
from bot.web.site import Site
from bot.web.webhook import create_app

BODY = b"name=regreen"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@contextmanager
def product() -> Iterator[int]:
    now = FakeTime()
    registry = CollectorRegistry()
    app = create_app(FakeInbox(), (SecretStr(SECRET),), ready=Readiness({}).look, registry=registry)
    access = Access("127.0.0.1", "", (), Sessions(SecretStr("t" * 32), now, FakeEndedSessions()), Attempts(now))
    Site(access, ScriptedReader([]), FakeWishes(now), "https://github.example", now).add_to(app)
    server = Background(app, "127.0.0.1", 0)
    try:
        yield server.port
    finally:
        server.close()


@contextmanager
def stand_in() -> Iterator[int]:
    with github_site(check=False) as site:
        yield int(site.stand_in.base_url.rpartition(":")[2])


@pytest.mark.parametrize(
    ("server", "path", "headers"),
    [
        (product, "/webhook", signed(BODY)),
        (product, "/sign-in", FORM),
        (stand_in, f"/api/v3/repos/{REPOSITORY}/issues", {}),
        (stand_in, f"/{REPOSITORY}/issues", FORM),
    ],
)
def test_a_client_that_goes_away_in_the_middle_leaves_one_line_for_debugging(
    server: Callable[[], Iterator[int]], path: str, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logs, server() as port:
        address = f"127.0.0.1:{port}"
        told = {"Host": address, "Origin": f"http://{address}", **headers, "Content-Length": str(len(BODY) + 1)}
        head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + BODY)
        _until(lambda: bool(logs))
    assert logs == [{"event": "client_went_away", "log_level": "debug", "method": "POST", "path": path}]
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING or one.exc_info] == []


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
