"""The web server against its own OpenAPI description: whatever is sent, the answer is one that the description has.

What a tool such as schemathesis does, driven by Hypothesis here, since a signature over the raw body has to be made.
"""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import jsonschema_rs
import pytest
from fakes_store import FakeInbox
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import SECRET, labeled
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from bot.web.webhook import create_app

LIMIT = 2_000
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]

HEADER_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=80)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
BODIES = st.one_of(
    st.binary(max_size=LIMIT * 2),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.just(json.dumps(labeled()).encode()),
    st.sampled_from([b"", b"{}", b"[" * 1_500, b'{"a":' * 300, b"9" * 1_900, b"\xff" * 9]),
)
EVENTS = st.sampled_from(["issues", "push", "projects_v2_item", "Issues", "", "a b", "x" * 65]) | HEADER_TEXT
IDS = st.sampled_from(["d-1", "72d3162e-cc78-11e3-81ab-4c9367dc0958", "", "../x", "y" * 65]) | HEADER_TEXT


def app_over(inbox: FakeInbox) -> FastAPI:
    return create_app(
        inbox,
        (SecretStr(SECRET),),
        ready=lambda: {"disk": "it is gone" if inbox.broken else ""},
        registry=CollectorRegistry(),
        max_body=LIMIT,
    )


def sent(app: FastAPI, method: str, path: str, headers: dict[str, str], content: Any = b"") -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
            raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
            return await client.request(method, path, headers=raw, content=content)

    return asyncio.run(send())


def signature(body: bytes) -> str:
    return f"sha256={hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()}"


def as_described(app: FastAPI, method: str, path: str, answer: httpx.Response) -> None:
    """The status is one of the operation's, and the body is of the schema that belongs to it."""
    operation = app.openapi()["paths"][path][method.lower()]
    described = operation["responses"].get(str(answer.status_code))
    assert described is not None, f"{method} {path} answered {answer.status_code}, which nothing describes"
    ((kind, content),) = described["content"].items()
    assert answer.headers["content-type"].partition(";")[0] == kind
    if kind == "application/json":
        jsonschema_rs.Draft202012Validator(content["schema"]).validate(answer.json())


@settings(max_examples=200)
@given(BODIES, EVENTS, IDS, st.sampled_from(["right", "right", "right", "wrong", "missing", "odd"]), st.booleans())
def test_whatever_is_posted_gets_an_answer_that_is_described(
    body: bytes,
    event: str,
    delivery_id: str,
    signed: str,
    broken: bool,  # noqa: FBT001 - drawn
) -> None:
    inbox = FakeInbox(broken=broken)
    app = app_over(inbox)
    headers = {"X-GitHub-Event": event, "X-GitHub-Delivery": delivery_id, "Content-Type": "application/json"}
    claimed = {"right": signature(body), "wrong": signature(body + b"x"), "odd": "sha256=zz"}
    headers |= {"X-Hub-Signature-256": claimed[signed]} if signed in claimed else {}
    answer = sent(app, "POST", "/webhook", headers, body)
    as_described(app, "POST", "/webhook", answer)
    assert answer.status_code == 413 or (signed == "right") == (answer.status_code != 401)
    if inbox.deliveries:
        assert (signed, answer.status_code) == ("right", 202)
        assert all(isinstance(json.loads(one.body), dict) for one in inbox.deliveries.values())


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=900), max_size=5))
def test_a_body_in_chunks_is_read_up_to_the_limit_and_no_further(chunks: list[bytes]) -> None:
    async def stream() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    whole = b"".join(chunks)
    app = app_over(FakeInbox())
    headers = {"X-GitHub-Event": "issues", "X-GitHub-Delivery": "d-1", "X-Hub-Signature-256": signature(whole)}
    answer = sent(app, "POST", "/webhook", headers, stream())
    as_described(app, "POST", "/webhook", answer)
    assert (answer.status_code == 413) is (len(whole) > LIMIT)


@settings(max_examples=100)
@given(
    st.sampled_from(METHODS),
    st.sampled_from(["/webhook", "/healthz", "/readyz", "/metrics"]),
    st.dictionaries(st.sampled_from(["Accept", "Content-Type", "Cookie", "Range", "X-Odd"]), HEADER_TEXT, max_size=3),
    st.booleans(),
)
def test_every_method_on_every_path_is_described_or_not_allowed(
    method: str,
    path: str,
    headers: dict[str, str],
    broken: bool,  # noqa: FBT001 - drawn
) -> None:
    app = app_over(FakeInbox(broken=broken))
    answer = sent(app, method, path, headers)
    if method.lower() in app.openapi()["paths"][path]:
        as_described(app, method, path, answer)
    else:
        assert answer.status_code == 405
        assert answer.headers["allow"]


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"], exclude_characters="?#\\ "), max_size=40))
def test_there_is_nothing_at_other_paths(path: str) -> None:
    app = app_over(FakeInbox())
    if f"/{path}".rstrip("/") not in app.openapi()["paths"]:
        assert sent(app, "GET", httpx.URL(f"http://bot/{path.lstrip('/')}").path or "/", {}).status_code == 404


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json"])
def test_the_description_itself_is_served_to_nobody(path: str) -> None:
    assert sent(app_over(FakeInbox()), "GET", path, {}).status_code == 404
