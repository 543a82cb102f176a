import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
from fakes_store import FakeInbox
from fastapi import FastAPI
from payloads import SECRET, labeled, signed
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from bot.errors import ConfigurationError
from bot.web.webhook import LARGE_AT_ONCE, SMALL_BODY, create_app

BODY = json.dumps(labeled()).encode()
OLD_SECRET = "the-secret-before-this-one"


def app_over(inbox: FakeInbox, registry: CollectorRegistry | None = None, max_body: int = 4096) -> FastAPI:
    return create_app(
        inbox,
        (SecretStr(SECRET), SecretStr(OLD_SECRET)),
        ready=lambda: {"disk": "it is gone" if inbox.broken else ""},
        registry=registry or CollectorRegistry(),
        max_body=max_body,
    )


def call(app: FastAPI, method: str, path: str, headers: Mapping[str, str] | None = None, content: Any = None) -> Any:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
            return await client.request(method, path, headers=headers, content=content)

    return asyncio.run(send())


def post(app: FastAPI, body: Any, headers: Mapping[str, str]) -> Any:
    return call(app, "POST", "/webhook", headers, body)


async def chunks(size: int, count: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b"x" * size


def test_a_signed_delivery_is_recorded_once_and_a_second_one_is_a_duplicate() -> None:
    inbox = FakeInbox()
    app = app_over(inbox)
    first, second = (post(app, BODY, signed(BODY)) for _ in range(2))
    assert (first.status_code, first.json()) == (202, {"outcome": "accepted"})
    assert (second.status_code, second.json()) == (202, {"outcome": "duplicate"})
    assert [delivery.body for delivery in inbox.deliveries.values()] == [BODY]


def test_every_configured_secret_is_valid() -> None:
    inbox = FakeInbox()
    assert post(app_over(inbox), BODY, signed(BODY, OLD_SECRET)).status_code == 202
    assert inbox.deliveries


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "",
        "sha1=0000",
        "sha256=",
        "sha256=" + "0" * 64,
        "sha256=" + "A" * 64,
        signed(BODY, "somebody-else's-secret")["X-Hub-Signature-256"],
        signed(BODY + b" ")["X-Hub-Signature-256"],
    ],
)
def test_a_bad_or_missing_signature_is_401_and_nothing_is_recorded(signature: str | None) -> None:
    inbox = FakeInbox()
    headers = signed(BODY)
    del headers["X-Hub-Signature-256"]
    response = post(app_over(inbox), BODY, headers | ({} if signature is None else {"X-Hub-Signature-256": signature}))
    assert response.status_code == 401
    assert not inbox.deliveries


def test_nothing_is_read_of_a_body_without_a_signature() -> None:
    begun: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        begun.append(b"x")
        yield BODY

    for signature in ("", "sha256=short", "sha1=" + "0" * 40):
        headers = signed(BODY) | {"X-Hub-Signature-256": signature}
        assert post(app_over(FakeInbox()), body(), headers).status_code == 401
    assert begun == []


def test_few_large_bodies_are_read_at_once_and_small_ones_do_not_wait_for_them() -> None:
    reading: list[int] = []
    most: list[int] = []
    gate, full = asyncio.Event(), asyncio.Event()
    large = b"x" * (SMALL_BODY + 1)

    async def stuck(*, declared: bool) -> tuple[int, str]:
        async def body() -> AsyncIterator[bytes]:
            reading.append(1)
            most.append(len(reading))
            if len(reading) == LARGE_AT_ONCE:
                full.set()
            await gate.wait()
            yield large
            reading.pop()

        length = {"Content-Length": str(len(large))} if declared else {}
        return await send(signed(b"other") | length, body())

    async def send(headers: Mapping[str, str], content: Any) -> tuple[int, str]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
            response = await client.post("/webhook", headers=headers, content=content)
        return response.status_code, response.json()["outcome"]

    async def flood() -> tuple[tuple[int, str], list[tuple[int, str]]]:
        flooding = [asyncio.create_task(stuck(declared=number % 2 == 0)) for number in range(30)]
        await full.wait()
        honest = await send(signed(BODY), BODY)
        gate.set()
        return honest, list(await asyncio.gather(*flooding))

    app = app_over(FakeInbox(), max_body=2 * SMALL_BODY)
    honest, answers = asyncio.run(flood())
    assert honest == (202, "accepted")
    assert answers == [(401, "bad_signature")] * 30
    assert max(most) == LARGE_AT_ONCE


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"payload=%7B%7D", b"\xff"])
def test_a_signed_body_that_is_no_json_object_is_400(body: bytes) -> None:
    inbox = FakeInbox()
    assert post(app_over(inbox), body, signed(body)).status_code == 400
    assert not inbox.deliveries


@pytest.mark.parametrize(
    "changes",
    [{"X-GitHub-Event": ""}, {"X-GitHub-Event": "a b"}, {"X-GitHub-Delivery": "a/b"}, {"X-GitHub-Delivery": ""}],
)
def test_missing_or_malformed_headers_are_400(changes: dict[str, str]) -> None:
    assert post(app_over(FakeInbox()), BODY, signed(BODY) | changes).status_code == 400


def test_an_unknown_event_is_202_with_the_reason_and_not_recorded() -> None:
    inbox = FakeInbox()
    response = post(app_over(inbox), BODY, signed(BODY, event="star"))
    assert (response.status_code, response.json()["outcome"]) == (202, "ignored")
    assert "star" in response.json()["reason"]
    assert not inbox.deliveries


def test_a_declared_oversize_body_is_413_before_the_signature_is_looked_at() -> None:
    response = post(app_over(FakeInbox()), b"x" * 4097, {})
    assert response.status_code == 413


def test_a_chunked_oversize_body_is_413() -> None:
    response = post(app_over(FakeInbox()), chunks(1000, 10), signed(b""))
    assert response.status_code == 413
    assert "content-length" not in response.request.headers


def test_a_body_of_exactly_the_limit_is_read() -> None:
    body = BODY + b" " * (4096 - len(BODY))
    assert post(app_over(FakeInbox()), body, signed(body)).status_code == 202


def test_a_store_that_fails_is_503_so_that_the_delivery_shows_as_failed() -> None:
    response = post(app_over(FakeInbox(broken=True)), BODY, signed(BODY))
    assert response.status_code == 503


@pytest.mark.parametrize("secrets", [(), (SecretStr(""),), (SecretStr(SECRET), SecretStr(""))])
def test_without_a_secret_there_is_no_application(secrets: tuple[SecretStr, ...]) -> None:
    with pytest.raises(ConfigurationError, match="REGREEN_WEBHOOK_SECRETS"):
        create_app(FakeInbox(), secrets, ready=dict, registry=CollectorRegistry())


def test_health_needs_no_store_and_readiness_does() -> None:
    inbox = FakeInbox()
    app = app_over(inbox)
    assert (call(app, "GET", "/healthz").status_code, call(app, "GET", "/readyz").status_code) == (200, 200)
    inbox.broken = True
    assert call(app, "GET", "/healthz").status_code == 200
    response = call(app, "GET", "/readyz")
    assert (response.status_code, response.json()["reason"]) == (503, "disk: it is gone")


def test_metrics_count_by_event_and_outcome_with_bounded_labels() -> None:
    app = app_over(FakeInbox())
    post(app, BODY, signed(BODY))
    post(app, BODY, signed(BODY))
    post(app, BODY, signed(BODY, event="made_up"))
    post(app, BODY, {})
    text = call(app, "GET", "/metrics").text
    for labels in (
        '{event="issues",outcome="accepted"}',
        '{event="issues",outcome="duplicate"}',
        '{event="other",outcome="ignored"}',
        '{event="unverified",outcome="bad_signature"}',
    ):
        assert f"regreen_webhook_deliveries_total{labels} 1.0" in text
    assert "regreen_webhook_seconds_count 4.0" in text
    assert "made_up" not in text


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json"])
def test_there_are_no_documentation_pages(path: str) -> None:
    assert call(app_over(FakeInbox()), "GET", path).status_code == 404
