"""The load of `make bench-webhook`: what is sent, and what counts as answered."""

import asyncio
import hashlib
import hmac
import random

import pytest
from bench.webhook_load import Ready, Scene, Sent, deliveries, send
from payloads import SECRET, labeled

from bot.events import Delivery, IssueLabeled, parse

SCENE = Scene(
    99, [labeled()["repository"]], [(0, labeled()["issue"])], labeled()["sender"], labeled()["label"] | {"id": 1}
)


def parts(one: Ready) -> tuple[dict[str, str], bytes]:
    head, _, body = one.request.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    return dict(line.lower().split(": ", 1) for line in lines), body


def test_a_fifth_triggers_and_no_two_are_the_same() -> None:
    ready = deliveries(SCENE, "http://127.0.0.1:1/webhook", SECRET, 1000, random.Random(1))  # noqa: S311 - no secret
    events = [
        parse(Delivery(one.guid, headers["x-github-event"], body)) for one in ready for headers, body in [parts(one)]
    ]
    assert 150 <= sum(isinstance(event, IssueLabeled) for event in events) <= 250
    assert len({parts(one)[1] for one in ready}) == len({one.guid for one in ready}) == 1000


def test_each_is_signed() -> None:
    (one,) = deliveries(SCENE, "http://127.0.0.1:1/webhook", SECRET, 1, random.Random(1))  # noqa: S311 - no secret
    headers, body = parts(one)
    assert headers["x-hub-signature-256"] == "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


async def _sent(statuses: list[bytes]) -> Sent:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        status = statuses.pop(0)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(status and b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        request = Ready("x", b"POST / HTTP/1.1\r\n\r\n")
        return await send(f"http://127.0.0.1:{port}/webhook", [request] * len(statuses), 20.0)


@pytest.mark.parametrize(("status", "accepted"), [(b"202 Accepted", 2), (b"503 Busy", 1), (b"", 1)])
def test_only_what_was_accepted_counts_as_answered(status: bytes, accepted: int) -> None:
    sent = asyncio.run(_sent([b"202 Accepted", status]))
    assert (len(sent.seconds), len(sent.seconds) + len(sent.refused)) == (accepted, 2)
