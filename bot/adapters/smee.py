"""Brings webhooks from a smee.io channel to a server that GitHub cannot reach: to develop, never to run with.

The channel hands on parsed JSON, not the bytes that GitHub signed. Written anew as GitHub writes it, the signature fits
nearly always; where it does not, the server refuses, and the App's delivery log brings the delivery later.
"""

import json
from collections.abc import Callable, Iterator

import httpx

from bot.errors import ConfigurationError

MOST_EVENT = 25 << 20
SILENCE_SECONDS = 90.0
"""A channel pings every 30 seconds."""
PASSED_ON = ("x-github-event", "x-github-delivery", "x-hub-signature-256")


def new_channel(site: str = "https://smee.io", *, timeout: float = 30.0) -> str:
    """Ask for a new channel. Raises `ConfigurationError`."""
    try:
        answer = httpx.get(f"{site}/new", timeout=timeout, follow_redirects=False)
    except httpx.HTTPError as error:
        cause = f"{site} does not answer ({type(error).__name__})"
        raise ConfigurationError(cause, "Give --url, or the address of a channel.") from None
    channel = str(answer.headers.get("location", ""))
    if not channel.startswith(f"{site}/"):
        raise ConfigurationError(f"{site} gave no channel ({answer.status_code})", "Give the address of a channel.")
    return channel


def forward(channel: str, target: str, say: Callable[[str], None]) -> None:
    """Post every webhook of the channel to `target` until the channel is silent or closes.

    Raises `ConfigurationError` when the channel cannot be read at all.
    """
    timeout = httpx.Timeout(30.0, read=SILENCE_SECONDS)
    try:
        with (
            httpx.Client(timeout=timeout, follow_redirects=False) as client,
            client.stream("GET", channel, headers={"Accept": "text/event-stream"}) as stream,
        ):
            stream.raise_for_status()
            for event in events(stream.iter_lines()):
                _hand_on(client, target, event, say)
    except httpx.TimeoutException:
        say("The channel fell silent.")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        cause = f"The channel cannot be read ({type(error).__name__})"
        raise ConfigurationError(cause, "Check REGREEN_SMEE_URL, and this machine's network.") from None


def events(lines: Iterator[str]) -> Iterator[str]:
    """The data of each server-sent event, its lines joined; one above 25 MB is left out.

    Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
    """
    kept: list[str] = []
    size = 0
    for line in lines:
        if not line:
            if kept and size <= MOST_EVENT:
                yield "\n".join(kept)
            kept, size = [], 0
        elif line.startswith("data:"):
            data = line.removeprefix("data:").removeprefix(" ")
            size += len(data)
            if size <= MOST_EVENT:
                kept.append(data)


def request(event: str) -> tuple[dict[str, str], bytes] | None:
    """The headers and the body of the webhook in an event; `None` for what is none, such as a ping of the channel."""
    try:
        said = json.loads(event)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not isinstance(said.get("body"), dict):
        return None
    headers = {name: str(said[name]) for name in PASSED_ON if isinstance(said.get(name), str)}
    if len(headers) < len(PASSED_ON) or any(
        not value.isprintable() or not value.isascii() for value in headers.values()
    ):
        return None
    body = json.dumps(said["body"], separators=(",", ":"), ensure_ascii=False)
    return headers | {"content-type": "application/json"}, body.encode(errors="surrogatepass")


def _hand_on(client: httpx.Client, target: str, event: str, say: Callable[[str], None]) -> None:
    found = request(event)
    if found is None:
        return
    headers, body = found
    name = f"{headers['x-github-event']} {headers['x-github-delivery']}"
    try:
        answer = client.post(target, content=body, headers=headers)
    except httpx.HTTPError as error:
        say(f"{name}: the server does not answer ({type(error).__name__}); is `regreen serve` running?")
        return
    hint = "; the channel changed its bytes, and recovery brings it later" if answer.status_code == 401 else ""  # noqa: PLR2004 - HTTP
    say(f"{name}: {answer.status_code}{hint}")
