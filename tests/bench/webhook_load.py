"""Sends webhook deliveries at a steady rate, whether or not the server keeps up, and notes how long each answer took.

A delivery's time runs from the moment at which it was due: what waits because the server is slow counts in full.
"""

import asyncio
import hashlib
import hmac
import json
import random
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

TRIGGERING = 0.2
CONNECTIONS = 64
ANSWER_SECONDS = 10.0
"""How long GitHub waits."""
ACCEPTED = 202


@dataclass(frozen=True, slots=True)
class Scene:
    """What payloads are made of: parts as GitHub's REST shows them."""

    installation: int
    repositories: Sequence[Mapping[str, Any]]
    issues: Sequence[tuple[int, Mapping[str, Any]]]
    """Each with the place of its repository."""
    sender: Mapping[str, Any]
    label: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ready:
    """A delivery as it goes over the wire."""

    guid: str
    request: bytes


@dataclass
class Sent:
    """What came of it: seconds of each answer that was 202, and the others' statuses, 0 for none."""

    seconds: list[float] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    elapsed: float = 0.0


def deliveries(scene: Scene, url: str, secret: str, count: int, dice: random.Random) -> list[Ready]:
    """So many deliveries, a fifth of which trigger; no two are the same."""
    return [_ready(*_payload(scene, number, dice), url, secret) for number in range(count)]


def _payload(scene: Scene, number: int, dice: random.Random) -> tuple[str, dict[str, Any]]:
    at, issue = dice.choice(scene.issues)
    shared = {
        "repository": scene.repositories[at],
        "sender": scene.sender,
        "installation": {"id": scene.installation, "node_id": "x"},
    }
    if dice.random() < TRIGGERING:
        # Labels carry no time of their own; the issue does.
        changed = {**issue, "comments": number}
        return "issues", {"action": "labeled", "label": scene.label, "issue": changed, **shared}
    if dice.random() < 0.5:
        comment = {"id": 10_000_000 + number, "body": "I see this too.", "user": scene.sender}
        return "issue_comment", {"action": "created", "comment": comment, "issue": issue, **shared}
    sha = f"{number:040x}"
    push = {"ref": "refs/heads/topic", "before": "0" * 40, "after": sha, "commits": [], "deleted": False}
    return "push", {**push, **shared}


def _ready(event: str, payload: Mapping[str, Any], url: str, secret: str) -> Ready:
    body, guid = json.dumps(payload, separators=(",", ":")).encode(), str(uuid.uuid4())
    where = urlsplit(url)
    head = (
        f"POST {where.path} HTTP/1.1",
        f"Host: {where.netloc}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"X-GitHub-Delivery: {guid}",
        f"X-GitHub-Event: {event}",
        f"X-Hub-Signature-256: sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}",
    )
    return Ready(guid, "\r\n".join((*head, "", "")).encode() + body)


async def send(url: str, ready: Sequence[Ready], rate: float) -> Sent:
    """Send them all, so many a second."""
    sent, free = Sent(), asyncio.LifoQueue[_Connection]()
    where = urlsplit(url)
    for _ in range(CONNECTIONS):
        free.put_nowait(_Connection(where.hostname or "", where.port or 80))
    begin = time.perf_counter()
    tasks = []
    for number, one in enumerate(ready):
        due = begin + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(_send(one, due, free, sent)))
    await asyncio.gather(*tasks)
    sent.elapsed = time.perf_counter() - begin
    while not free.empty():
        free.get_nowait().close()
    return sent


async def _send(one: Ready, due: float, free: "asyncio.LifoQueue[_Connection]", sent: Sent) -> None:
    connection = await free.get()
    try:
        status = await asyncio.wait_for(connection.ask(one.request), ANSWER_SECONDS)
    except (TimeoutError, OSError, EOFError):
        connection.close()
        status = 0
    finally:
        free.put_nowait(connection)
    if status == ACCEPTED:
        sent.seconds.append(time.perf_counter() - due)
    else:
        sent.refused.append(status)


@dataclass
class _Connection:
    """Kept open between requests; opened anew where the server closed it meanwhile."""

    host: str
    port: int
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> int:
        """The answer's status. Raises `OSError`, `EOFError`."""
        if self.streams is None or self.streams[0].at_eof():
            self.close()
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        writer.write(request)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next((line[15:] for line in head.split("\r\n") if line.startswith("content-length:")), "0")
        await reader.readexactly(int(length))
        return int(head.split(" ", 2)[1])

    def close(self) -> None:
        """Hang up."""
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None
