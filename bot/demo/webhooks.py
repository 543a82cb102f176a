"""Signed webhook deliveries, sent one after the other by a thread, with a log and redelivery.

GitHub gives a receiver 10 s, never tries again by itself, and keeps the GUID when asked to redeliver.
"""

import hashlib
import hmac
import itertools
import json
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import httpx

TIMEOUT = 10.0
BODY_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class HookDelivery:
    """One attempt: what was or will be sent, and how it went. `status_code` 0 means no answer.

    `due` is a moment of the machine's steady clock before which it is not sent.
    """

    id: int
    guid: str
    event: str
    action: str
    installation_id: int
    repository_id: int
    body: bytes
    redelivery: bool = False
    delivered_at: datetime | None = None
    duration: float = 0.0
    status: str = "pending"
    status_code: int = 0
    request_headers: dict[str, str] = field(default_factory=dict)
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: str = ""
    due: float = 0.0


Disorder = Callable[[HookDelivery], Sequence[float]]
"""Says after how many seconds a delivery is sent: once for each number, so that two of them make a duplicate."""


def sign(secret: str, body: bytes) -> str:
    """The value of X-Hub-Signature-256."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhooks:
    """The App's webhook. Nothing is sent, only queued, while `url` is empty or after `pause`."""

    def __init__(self, app_id: int, clock: Callable[[], datetime]) -> None:
        """Set `url` and `secret` later; `start` begins to send."""
        self.url = ""
        self.secret = ""
        self.disorder: Disorder | None = None
        self.pending: list[HookDelivery] = []
        self.log: list[HookDelivery] = []
        self._app_id = app_id
        self._clock = clock
        self._ids = itertools.count(50_001)
        self._change = threading.Condition()
        self._paused = False
        self._sending = False
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the sender thread."""
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the sender thread; what is pending stays unsent."""
        with self._change:
            self._stopped = True
            self._change.notify_all()
        if self._thread is not None:
            self._thread.join(TIMEOUT + 1)

    def send(self, event: str, action: str, where: tuple[int, int], payload: dict[str, Any]) -> HookDelivery:
        """Queue a delivery for (installation id, repository id)."""
        installation, repository = where
        body = json.dumps(payload, separators=(",", ":")).encode()
        delivery = HookDelivery(next(self._ids), str(uuid.uuid4()), event, action, installation, repository, body)
        self._queue(delivery)
        return delivery

    def redeliver(self, identity: int) -> HookDelivery:
        """Queue the same bytes again under the same GUID. Raises `KeyError` for an unknown id."""
        with self._change:
            past = next((d for d in self.log if d.id == identity), None)
        if past is None:
            raise KeyError(identity)
        again = replace(past, id=next(self._ids), redelivery=True, status="pending", status_code=0, delivered_at=None)
        self._queue(again)
        return again

    def pause(self) -> None:
        """Hold back everything from now on; tests may then reorder or edit `pending`."""
        with self._change:
            self._paused = True
            self._change.wait_for(lambda: not self._sending, TIMEOUT + 1)

    def resume(self) -> None:
        """Send what is pending, in its present order."""
        with self._change:
            self._paused = False
            self._change.notify_all()

    def reorder(self, key: Callable[[HookDelivery], Any]) -> None:
        """Sort what is pending."""
        with self._change:
            self.pending.sort(key=key)

    def duplicate(self, guid: str) -> None:
        """Queue a pending delivery a second time, as a receiver may see it after a network fault."""
        with self._change:
            delivery = next(d for d in self.pending if d.guid == guid)
        self._queue(replace(delivery, id=next(self._ids)))

    def drop(self, guid: str) -> None:
        """Log a pending delivery as failed without sending it, as when the receiver was down."""
        with self._change:
            delivery = next(d for d in self.pending if d.guid == guid)
            self.pending.remove(delivery)
            failed = replace(delivery, status="failed to connect to host", delivered_at=self._clock())
            self.log.append(failed)

    def wait_idle(self, timeout: float = 20.0) -> bool:
        """Wait until nothing is pending or in flight; `False` after `timeout` seconds."""
        with self._change:
            return self._change.wait_for(lambda: not self.pending and not self._sending, timeout)

    def _queue(self, delivery: HookDelivery) -> None:
        delays = self.disorder(delivery) if self.disorder else (0.0,)
        now = time.monotonic()
        with self._change:
            # Copies are told apart by their ids, as redeliveries are.
            self.pending += [
                replace(delivery, id=next(self._ids) if number else delivery.id, due=now + delay if delay else 0.0)
                for number, delay in enumerate(delays)
            ]
            self._change.notify_all()

    def _ready(self) -> bool:
        return self._stopped or bool(self.url and not self._paused and self._next() is not None)

    def _next(self) -> int | None:
        now = time.monotonic()
        return next((index for index, one in enumerate(self.pending) if one.due <= now), None)

    def _run(self) -> None:
        while True:
            with self._change:
                # A timeout, because `url` may be set without notice.
                self._change.wait_for(self._ready, 0.2)
                index = self._next() if self._ready() and not self._stopped else None
                if self._stopped:
                    return
                if index is None:
                    continue
                delivery, self._sending = self.pending.pop(index), True
            done = self._post(delivery)
            with self._change:
                self.log.append(done)
                self._sending = False
                self._change.notify_all()

    def _post(self, delivery: HookDelivery) -> HookDelivery:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/stand-in",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": "1",
            "X-GitHub-Hook-Installation-Target-ID": str(self._app_id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": sign(self.secret, delivery.body),
        }
        started = time.monotonic()
        try:
            with httpx.Client(timeout=TIMEOUT, trust_env=False) as client:
                response = client.post(self.url, content=delivery.body, headers=headers)
        except httpx.TimeoutException:
            outcome: dict[str, Any] = {"status": "timed out"}
        except httpx.HTTPError:
            outcome = {"status": "failed to connect to host"}
        else:
            outcome = {
                "status": "OK" if response.is_success else response.reason_phrase or "Invalid HTTP Response",
                "status_code": response.status_code,
                "response_headers": dict(response.headers),
                "response_body": response.text[:BODY_KEPT],
            }
        duration = round(time.monotonic() - started, 3)
        return replace(delivery, delivered_at=self._clock(), duration=duration, request_headers=headers, **outcome)
