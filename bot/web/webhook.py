"""The webhook endpoint: size, signature, shape, one insert, the answer. What a delivery leads to is decided elsewhere.

A body costs memory before its signature is known, so nothing is read of one that is declared too large or comes without
a signature, and few large ones are read at once.
Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
"""

import asyncio
import hashlib
import hmac
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import structlog
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from prometheus_client import CollectorRegistry, Counter, Histogram
from pydantic import SecretStr
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from bot.disconnects import disconnected
from bot.errors import SET_UP, ConfigurationError, PayloadError, RegreenError
from bot.events import HANDLED, Delivery, decode
from bot.web import description as described
from bot.web import probes
from bot.web.readiness import Look

MAX_BODY = 25 * 1024 * 1024
READ_SECONDS = 30.0
SMALL_BODY = 1024 * 1024
"""What a delivery that makes a job stays far below; larger ones, and those of unknown size, wait for each other."""
LARGE_AT_ONCE = 4
WAIT_SECONDS = 5.0
"""How long a large body waits for its turn; GitHub gives up after 10 seconds."""

UNVERIFIED, OTHER = "unverified", "other"
UNAVAILABLE, BUSY, BAD_SIGNATURE = "unavailable", "busy", "bad_signature"

_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_EVENT = re.compile(r"[a-z0-9_]{1,64}")
_DELIVERY_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_log = structlog.get_logger(__name__)


class Inbox(Protocol):
    """The part of the pipeline's `Inbox` that an acknowledgement needs."""

    def accept(self, delivery: Delivery) -> bool:
        """Record the delivery durably, `False` when its id is known. Raises `StoreError`, `NoRoomError`."""
        ...


class _RefusedError(Exception):
    """Ends a request with this status; `outcome` is the metric's label, `reason` what the sender is told."""

    def __init__(self, status: int, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.outcome = outcome
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Endpoint:
    inbox: Inbox
    secrets: tuple[bytes, ...]
    max_body: int
    deliveries: Counter
    seconds: Histogram
    large: asyncio.Semaphore

    async def receive(self, request: Request) -> JSONResponse:
        """The whole of `POST /webhook`."""
        started = time.perf_counter()
        event = UNVERIFIED
        try:
            declared = _declared(request, self.max_body)
            signature = _signature(request)
            async with self._turn(declared):
                body = await _bounded_body(request, self.max_body)
                self._verify(body, signature)
                delivery = _delivery(request, body)
                event = delivery.event if delivery.event in HANDLED else OTHER
                status, outcome, reason = await run_in_threadpool(self._record, delivery)
        except _RefusedError as refused:
            status, outcome, reason = refused.status, refused.outcome, refused.reason
        self.deliveries.labels(event, outcome).inc()
        self.seconds.observe(time.perf_counter() - started)
        content = {"outcome": outcome, "reason": reason} if reason else {"outcome": outcome}
        return JSONResponse(content, status)

    @asynccontextmanager
    async def _turn(self, declared: int | None) -> AsyncIterator[None]:
        if declared is not None and declared <= SMALL_BODY:
            yield
            return
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self.large.acquire()
        except TimeoutError:
            raise _RefusedError(503, BUSY, "other large deliveries are being read: redeliver it") from None
        try:
            yield
        finally:
            self.large.release()

    def _verify(self, body: bytes, claimed: bytes) -> None:
        good = False
        for secret in self.secrets:
            # Every secret is tried, so that the time taken does not tell which one fitted.
            good |= hmac.compare_digest(hmac.new(secret, body, hashlib.sha256).hexdigest().encode(), claimed)
        if not good:
            raise _RefusedError(401, BAD_SIGNATURE, "the signature fits none of the webhook's secrets")

    def _record(self, delivery: Delivery) -> tuple[int, str, str]:
        try:
            decode(delivery.body)
            if delivery.event not in HANDLED:
                return 202, "ignored", f"nothing is done for the event {delivery.event}"
            accepted = self.inbox.accept(delivery)
        except PayloadError as error:
            return 400, "malformed", str(error)
        except RegreenError as error:
            _log.error("delivery_not_recorded", delivery=delivery.delivery_id, cause=error.cause)
            return 503, UNAVAILABLE, "the delivery could not be recorded: redeliver it"
        return 202, "accepted" if accepted else "duplicate", ""


def _too_large(limit: int) -> _RefusedError:
    return _RefusedError(413, "too_large", f"the body has more than {limit} bytes")


def _declared(request: Request, limit: int) -> int | None:
    """The body's length as its sender says it, `None` for one that comes in chunks."""
    said = request.headers.get("content-length", "")
    if not said.isdecimal():
        return None
    if int(said[:20]) > limit:
        raise _too_large(limit)
    return int(said)


def _signature(request: Request) -> bytes:
    signature = request.headers.get("x-hub-signature-256", "")
    if not _SIGNATURE.fullmatch(signature):
        raise _RefusedError(401, BAD_SIGNATURE, "the X-Hub-Signature-256 header is missing or malformed")
    return signature.removeprefix("sha256=").encode()


async def _bounded_body(request: Request, limit: int) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise _too_large(limit)
    except TimeoutError:
        raise _RefusedError(408, "too_slow", f"the body did not arrive within {READ_SECONDS:.0f} seconds") from None
    except ClientDisconnect as gone:
        await disconnected(request, gone)
        raise _RefusedError(400, "disconnected", "the body did not arrive whole") from None
    return bytes(body)


def _delivery(request: Request, body: bytes) -> Delivery:
    event = request.headers.get("x-github-event", "")
    delivery_id = request.headers.get("x-github-delivery", "")
    if not _EVENT.fullmatch(event) or not _DELIVERY_ID.fullmatch(delivery_id):
        raise _RefusedError(400, "malformed", "X-GitHub-Event or X-GitHub-Delivery is missing or malformed")
    return Delivery(delivery_id, event, body)


def create_app(
    inbox: Inbox,
    secrets: tuple[SecretStr, ...],
    *,
    ready: Look,
    registry: CollectorRegistry,
    max_body: int = MAX_BODY,
) -> FastAPI:
    """The web application: `POST /webhook`, `/healthz`, `/readyz`, `/metrics`.

    `ready` returns what keeps deliveries from being recorded now; it may block. `secrets` are all valid at once.
    Raises `ConfigurationError` without a secret: an endpoint that trusts everybody is never started.
    """
    keys = tuple(secret.get_secret_value().encode() for secret in secrets)
    if not keys or not all(keys):
        raise ConfigurationError(
            "No webhook secret is configured",
            f"{SET_UP}, or set REGREEN_WEBHOOK_SECRETS to the secret of the App's webhook.",
        )
    deliveries = Counter(
        "regreen_webhook_deliveries",
        "Requests to the webhook by event and outcome.",
        ["event", "outcome"],
        registry=registry,
    )
    # what alerts are for is there from the beginning, as 0: Prometheus sees no rise in a series that begins at 1
    for event in (*HANDLED, OTHER):
        deliveries.labels(event, UNAVAILABLE)
    for outcome in (BUSY, BAD_SIGNATURE):
        deliveries.labels(UNVERIFIED, outcome)
    seconds = Histogram("regreen_webhook_seconds", "Seconds until a webhook request was answered.", registry=registry)
    endpoint = _Endpoint(inbox, keys, max_body, deliveries, seconds, asyncio.Semaphore(LARGE_AT_ONCE))
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_api_route(
        "/webhook",
        endpoint.receive,
        methods=["POST"],
        status_code=202,
        responses=described.DELIVERY_RESPONSES,
        openapi_extra=described.DELIVERY,
    )
    probes.add(app, dict, ready, registry)
    return app
