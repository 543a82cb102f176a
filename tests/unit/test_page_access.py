"""Who is let in, what the answer's headers say, and what an operator's session is."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from fakes_sessions import FakeEndedSessions
from fakes_store import FakeTime
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from bot.web.access import COOKIE, Access, TooOftenError
from bot.web.security import Guard
from bot.web.sessions import SECONDS, Attempts, Sessions

TOKEN = "a-token-of-an-operator"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - what an operator may set
LOCAL, PUBLIC = "http://127.0.0.1:8080", "https://regreen.example"


def sessions(token: str = TOKEN, now: FakeTime | None = None) -> Sessions:
    return Sessions(SecretStr(token), now or FakeTime(), FakeEndedSessions())


def client(
    access: Access, base: str = LOCAL, sender: str = "127.0.0.1", cookie: str = "", **headers: str
) -> TestClient:
    """Whoever sends requests to an application that answers everything."""

    async def answer(request: Request) -> Response:
        download = {"Content-Disposition": "attachment"} if "artifact" in request.url.path else {}
        return PlainTextResponse("shown", headers=download)

    app = Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])
    app.add_middleware(Guard, access=access, missing=lambda _request: PlainTextResponse("missing", 404), failed=failed)
    made = TestClient(app, base, client=(sender, 5000), follow_redirects=False, headers=headers)
    if cookie:
        made.cookies.set(COOKIE, cookie)
    return made


async def failed(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"failed: {error}", 503)


def test_on_this_machine_pages_are_shown_to_whoever_is_on_it() -> None:
    for base in (LOCAL, "http://localhost:8080", "http://[::1]:8080"):
        assert client(Access("127.0.0.1", ""), base).get("/runs").text == "shown"
        assert client(Access("127.0.0.1", ""), base).get("/metrics").text == "shown"


@pytest.mark.parametrize(
    ("access", "sender", "base", "headers"),
    [
        (Access(EVERYWHERE, ""), "127.0.0.1", LOCAL, {}),
        (Access("127.0.0.1", PUBLIC), "127.0.0.1", LOCAL, {}),
        (Access("127.0.0.1", PUBLIC), "127.0.0.1", PUBLIC, {}),
        (Access("127.0.0.1", ""), "192.0.2.7", LOCAL, {}),
        (Access("127.0.0.1", ""), "127.0.0.1", LOCAL, {"X-Forwarded-For": "127.0.0.1"}),
        (Access("127.0.0.1", ""), "127.0.0.1", LOCAL, {"Forwarded": "for=127.0.0.1"}),
        (Access("127.0.0.1", ""), "127.0.0.1", "http://192.0.2.7:8080", {}),
    ],
)
def test_elsewhere_and_behind_a_proxy_all_is_closed_without_a_token(
    access: Access, sender: str, base: str, headers: dict[str, str]
) -> None:
    visitor = client(access, base, sender, **headers)
    for path in ("/", "/runs", "/runs/octo/fizz:issue-7:d-1/events", "/repositories/octo/fizz", "/nothing", "/sign-in"):
        answer = visitor.get(path)
        assert (answer.status_code, "REGREEN_OPERATOR_TOKEN" in answer.text) == (403, True), path
    assert visitor.get("/metrics").status_code == 401
    assert visitor.get("/static/regreen.css").text == "shown"


def test_what_is_not_a_page_is_never_closed() -> None:
    stranger = client(Access(EVERYWHERE, PUBLIC), "http://other.example", "192.0.2.7")
    assert [stranger.get(path).text for path in ("/healthz", "/readyz")] == ["shown", "shown"]
    assert stranger.post("/webhook").text == "shown"


def test_with_a_token_a_stranger_is_led_to_the_form_and_back() -> None:
    stranger = client(Access(EVERYWHERE, PUBLIC, sessions=sessions()), PUBLIC, "192.0.2.7", Accept="text/html")
    answer = stranger.get("/runs/octo%2Ffizz:issue-7:d-1?attempt=2")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=%2Fruns%2Focto%252Ffizz%3Aissue-7%3Ad-1%3Fattempt%3D2"
    assert stranger.get("/runs", headers={"Accept": "text/event-stream"}).status_code == 401
    assert stranger.get("/sign-in").text == "shown"


def test_whoever_has_a_session_is_let_in_until_it_ends() -> None:
    now = FakeTime()
    kept = sessions(now=now)
    cookie = kept.begin()
    access = Access(EVERYWHERE, PUBLIC, ("octo/secret*",), kept)
    operator = client(access, PUBLIC, "192.0.2.7", cookie)
    assert operator.get("/runs/octo/secret:issue-7:d-1").text == operator.get("/metrics").text == "shown"
    now.seconds += SECONDS
    assert operator.get("/runs").status_code == 401


@pytest.mark.parametrize("wrong", ["", ".", "a.b.c", "99999999999.aa.bb", "\u00e4.\u00e4", "x" * 5000])
def test_a_made_up_cookie_opens_nothing(wrong: str) -> None:
    assert sessions().find(wrong) is None
    right = sessions().begin()
    assert sessions("another-token-of-an-operator").find(right) is None
    assert sessions().find(right[:-1]) is None
    assert sessions().find(f"9{right}") is None


def test_who_signed_out_needs_the_token_again() -> None:
    kept = sessions()
    cookie = kept.begin()
    session = kept.find(cookie)
    assert session
    assert kept.is_form_token(session, kept.form_token(session))
    assert not kept.is_form_token(session, "\u00e4")
    kept.end(session)
    assert kept.find(cookie) is None


def test_while_the_store_fails_no_session_opens_anything_and_nobody_else_waits_for_it() -> None:
    ended = FakeEndedSessions(broken=True)
    kept = Sessions(SecretStr(TOKEN), FakeTime(), ended)
    operator = client(Access(EVERYWHERE, PUBLIC, sessions=kept), PUBLIC, "192.0.2.7", kept.begin())
    refused = operator.get("/runs")
    assert (refused.status_code, "The database failed" in refused.text) == (503, True)
    assert "default-src 'none'" in refused.headers["content-security-policy"]
    assert operator.get("/static/regreen.css").text == "shown"
    stranger = client(Access(EVERYWHERE, PUBLIC, sessions=kept), PUBLIC, "192.0.2.7", "9.a.b")
    assert stranger.get("/runs").status_code == 401
    ended.broken = False
    assert operator.get("/runs").text == "shown"


@pytest.mark.parametrize(("path", "heard"), [("/runs/a/events", "http.disconnect"), ("/runs/a", "nothing")])
def test_a_stream_ends_with_the_session_that_it_was_begun_in(path: str, heard: str) -> None:
    kept = sessions()
    cookie = kept.begin()
    session = kept.find(cookie)
    assert session
    told: list[str] = []

    async def stream(_scope: Scope, receive: Receive, _send: Send) -> None:
        kept.end(session)
        with suppress(TimeoutError):
            told.append((await asyncio.wait_for(receive(), 0.5))["type"])

    async def silent() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    async def nobody(_message: Message) -> None:
        """What is sent is not looked at."""

    headers = [(b"host", b"regreen.example"), (b"cookie", f"{COOKIE}={cookie}".encode())]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "http_version": "1.1"}
    guard = Guard(stream, Access(EVERYWHERE, PUBLIC, sessions=kept), lambda _: Response(status_code=404), failed, 0.01)
    asyncio.run(guard(scope | {"query_string": b"", "scheme": "https", "server": None}, silent, nobody))
    assert (told or ["nothing"]) == [heard]


def test_metrics_are_read_elsewhere_with_the_token() -> None:
    access = Access(EVERYWHERE, "", sessions=sessions())
    prometheus = client(access, "http://regreen:8080", "192.0.2.7")
    assert prometheus.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text == "shown"
    wrong = prometheus.get("/metrics", headers={"Authorization": "Bearer wrong"})
    assert (wrong.status_code, wrong.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    "path",
    [
        "/runs/octo/secret:issue-7:d-1",
        "/runs/OCTO/Secret:issue-7:d-1/events",
        "/runs/octo%2Fsecret%3Aissue-7%3Ad-1/artifacts/a",
        "/runs/octo%252Fsecret%253Aissue-7",
        "/repositories/octo/secret",
        "/repositories/octo/secret/more",
        "/runs/octo/secret:x%3Fy",
    ],
)
def test_hidden_repositories_are_missing_on_every_path_for_whoever_did_not_sign_in(path: str) -> None:
    kept = sessions()
    access = Access("127.0.0.1", "", ("octo/sec*",), kept)
    assert client(access).get(path).text == "missing"
    assert client(access, cookie=kept.begin()).get(path).text == "shown"
    assert client(access).get("/runs/octo/fizz:issue-7:d-1").text == "shown"


def test_a_page_of_another_name_that_leads_here_reads_nothing() -> None:
    assert client(Access("127.0.0.1", ""), "http://evil.example:8080").get("/runs").status_code == 421
    assert client(Access("127.0.0.1", PUBLIC), "http://evil.example").get("/static/regreen.css").status_code == 421
    for wrong in ("[::1", "evil.example@127.0.0.1", "evil.example#@127.0.0.1", "127.0.0.1/x"):
        assert client(Access("127.0.0.1", "")).get("/runs", headers={"Host": wrong}).status_code == 421
    assert client(Access(EVERYWHERE, ""), "http://build-server:8080").get("/runs").status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": LOCAL}, 200),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[::1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({}, 403),
    ],
)
def test_what_changes_something_has_to_come_from_a_page_of_this_server(headers: dict[str, Any], status: int) -> None:
    assert client(Access("127.0.0.1", "")).post("/wishes", headers=headers).status_code == status


def test_behind_a_proxy_that_changes_the_host_the_public_origin_counts() -> None:
    kept = sessions()
    operator = client(Access("127.0.0.1", PUBLIC, sessions=kept), LOCAL, cookie=kept.begin(), Origin=PUBLIC)
    assert operator.post("/wishes").text == "shown"


def test_every_answer_forbids_code_that_is_not_ours_and_frames_and_guesses() -> None:
    visitor = client(Access("127.0.0.1", ""))
    for path in ("/runs", "/metrics", "/static/htmx.min.js", "/nothing"):
        headers = visitor.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert (policy["default-src"], policy["script-src"], policy["style-src"]) == ("'none'", "'self'", "'self'")
        assert (policy["frame-ancestors"], policy["base-uri"], policy["form-action"]) == ("'none'", "'none'", "'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
    assert "sandbox" in visitor.get("/runs/octo/fizz:issue-7:d-1/artifact").headers["content-security-policy"]
    refused = client(Access(EVERYWHERE, ""), sender="192.0.2.7").get("/runs")
    assert "default-src 'none'" in refused.headers["content-security-policy"]


def test_after_ten_wrong_tokens_an_address_waits_and_others_do_not() -> None:
    now = FakeTime()
    attempts = Attempts(now, most=3, most_of_all=8, seconds=60)
    for _ in range(3):
        assert attempts.wait("192.0.2.7") == 0
        attempts.failed("192.0.2.7")
        now.seconds += 1
    assert attempts.wait("192.0.2.7") == 57
    assert attempts.wait("192.0.2.8") == 0
    for number in range(5):
        attempts.failed(f"192.0.2.{number + 100}")
        now.seconds += 0.1
    assert (attempts.wait("192.0.2.8"), attempts.crowd() > 0) == (0, True)
    now.seconds += 60
    assert attempts.wait("192.0.2.7") == attempts.crowd() == 0


def test_addresses_of_one_network_of_ipv6_are_one_sender_and_those_of_others_are_not() -> None:
    attempts = Attempts(FakeTime(), most=3)
    for address in ("2001:db8::1", "2001:db8::2:3", "2001:db8::ffff", "192.0.2.7", "192.0.2.7"):
        attempts.failed(address)
    attempts.failed("::ffff:192.0.2.7")
    waits = {one: attempts.wait(one) > 0 for one in ("2001:db8::9", "2001:db8:0:1::1", "192.0.2.7", "192.0.2.8", "")}
    assert list(waits.values()) == [True, False, True, False, False]


def test_strangers_lock_nobody_out_who_has_the_token_and_neither_does_a_scraper() -> None:
    kept = sessions()
    access = Access(EVERYWHERE, PUBLIC, sessions=kept, attempts=Attempts(FakeTime(), most=2, most_of_all=4))
    senders = [Request({"type": "http", "headers": [], "client": (f"192.0.2.{last}", 1)}) for last in range(9)]
    assert [access.opens(one, "wrong") for one in senders[:4]] == [False] * 4
    with pytest.raises(TooOftenError):
        access.opens(senders[5], "wrong")
    assert access.opens(senders[6], TOKEN)
    assert [access.measures(senders[7], "wrong") for _ in range(10)] == [False] * 10
    with pytest.raises(TooOftenError):
        access.measures(senders[7], TOKEN)
    assert access.opens(senders[7], TOKEN)
