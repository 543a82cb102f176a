"""Webhooks through a channel: handed on with GitHub's headers, signed bytes where they can be written anew."""

import hashlib
import hmac
import json
from collections.abc import Iterator

import pytest
from fakes_small_site import SmallSite, small_site

from bot.adapters.smee import events, forward, new_channel
from bot.errors import ConfigurationError

BODY = '{"action":"labeled","issue":{"title":"größer \\"zwei\\" 1.5"},"n":[1,2.5,null,true]}'
SIGNATURE = "sha256=" + hmac.new(b"s" * 16, BODY.encode(), hashlib.sha256).hexdigest()


def event(**changes: object) -> str:
    said = {
        "x-github-event": "issues",
        "x-github-delivery": "d-1",
        "x-hub-signature-256": SIGNATURE,
        "host": "smee.test",
        "body": json.loads(BODY),
        "timestamp": 1,
    }
    return f"id: 1\ndata: {json.dumps(said | changes)}\n\n"


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with small_site() as made:
        made.answers["POST /webhook"] = (202, {}, b"{}")
        yield made


def handed_on(site: SmallSite, stream: str) -> tuple[list[tuple[str, bytes]], list[str]]:
    """What arrived as delivery and body, and what was said."""
    site.answers["GET /channel"] = (200, {"Content-Type": "text/event-stream"}, stream.encode())
    said: list[str] = []
    forward(f"{site.url}/channel", f"{site.url}/webhook", said.append)
    posted = [(headers, body) for method, _, headers, body in site.asked if method == "POST"]
    return [({k.lower(): v for k, v in headers.items()}["x-github-delivery"], body) for headers, body in posted], said


def test_a_webhook_arrives_with_the_bytes_that_were_signed(site: SmallSite) -> None:
    arrived, said = handed_on(site, "event: ready\ndata: {}\n\n" + event())
    assert arrived == [("d-1", BODY.encode())]
    assert said == ["issues d-1: 202"]


def test_a_refused_signature_is_told_as_the_channels_doing(site: SmallSite) -> None:
    site.answers["POST /webhook"] = (401, {}, b"{}")
    _, said = handed_on(site, event())
    assert "recovery brings it later" in said[0]


@pytest.mark.parametrize(
    "broken", ["data: [1]\n\n", "data: {\n\n", event(body="text"), event(**{"x-github-event": "a\r\nb"})]
)
def test_what_is_no_webhook_is_left_out_and_the_next_one_handed_on(site: SmallSite, broken: str) -> None:
    arrived, _ = handed_on(site, broken + event())
    assert len(arrived) == 1


def test_an_event_without_end_is_not_kept() -> None:
    huge = ["data:" + "x" * (1 << 20)] * 30
    assert list(events(iter([*huge, "", "data: small", ""]))) == ["small"]


def test_a_channel_that_is_none_is_named(site: SmallSite) -> None:
    with pytest.raises(ConfigurationError, match="REGREEN_SMEE_URL"):
        forward(f"{site.url}/nowhere", f"{site.url}/webhook", print)


def test_a_new_channel_is_one_of_the_site_and_of_no_other(site: SmallSite) -> None:
    site.answers["GET /new"] = (302, {"Location": f"{site.url}/Abc123"}, b"")
    assert new_channel(site.url) == f"{site.url}/Abc123"
    site.answers["GET /new"] = (302, {"Location": "https://elsewhere.example/x"}, b"")
    with pytest.raises(ConfigurationError, match="no channel"):
        new_channel(site.url)
