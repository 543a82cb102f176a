"""Who is taken to have sent what came through reverse proxies."""

from ipaddress import ip_network

import pytest
from fakes_sessions import FakeEndedSessions
from fakes_store import FakeTime
from pydantic import SecretStr
from starlette.requests import HTTPConnection, Request

from bot.web.access import Access, TooOftenError
from bot.web.proxies import Proxies
from bot.web.sessions import Attempts, Sessions

PROXY, SECOND, OUTSIDE = "10.0.0.1", "10.0.0.2", "192.0.2.7"
TRUSTED = Proxies((ip_network("10.0.0.0/24"), ip_network("fd00::/8")))


def sent(peer: str, *headers: tuple[str, str], scheme: str = "http") -> Request:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": raw, "client": (peer, 5000) if peer else None}
    return Request(scope | {"scheme": scheme, "http_version": "1.1", "server": None, "query_string": b""})


def x(value: str) -> tuple[str, str]:
    return "X-Forwarded-For", value


def f(value: str) -> tuple[str, str]:
    return "Forwarded", value


@pytest.mark.parametrize(
    ("peer", "headers", "sender"),
    [
        (OUTSIDE, (), OUTSIDE),
        (OUTSIDE, (x("192.0.2.8"),), OUTSIDE),
        (OUTSIDE, (x("127.0.0.1"), f("for=127.0.0.1")), OUTSIDE),
        (PROXY, (), PROXY),
        (PROXY, (x(OUTSIDE),), OUTSIDE),
        (PROXY, (x(f"127.0.0.1, {OUTSIDE}"),), OUTSIDE),
        (PROXY, (x(f"192.0.2.8,{OUTSIDE}, {SECOND}"),), OUTSIDE),
        (PROXY, (x("192.0.2.8"), x(OUTSIDE), x(SECOND)), OUTSIDE),
        (PROXY, (x(SECOND),), SECOND),
        (f"::ffff:{PROXY}", (x(OUTSIDE),), OUTSIDE),
        ("fd00::5", (x("2001:db8::9"),), "2001:db8::9"),
        (PROXY, (x(f"{OUTSIDE}:5123"),), OUTSIDE),
        (PROXY, (x("[2001:db8::9]:5123"),), "2001:db8::9"),
        (PROXY, (x(f"::ffff:{OUTSIDE}"),), OUTSIDE),
        (PROXY, (f(f"for={OUTSIDE}"),), OUTSIDE),
        (PROXY, (f(f'For="{OUTSIDE}:80";Proto=https;by={PROXY}'),), OUTSIDE),
        (PROXY, (f('for=192.0.2.8;host="a,b;c\\"", for="[2001:db8::9]:4711"'),), "2001:db8::9"),
        (PROXY, (f(f"for={OUTSIDE}, for={SECOND}"),), OUTSIDE),
        (PROXY, (f(f"for={OUTSIDE}"), x(OUTSIDE)), OUTSIDE),
        ("", (x(OUTSIDE),), ""),
    ],
)
def test_the_sender_is_the_first_from_the_right_who_is_no_trusted_proxy(
    peer: str, headers: tuple[tuple[str, str], ...], sender: str
) -> None:
    assert TRUSTED.sender(sent(peer, *headers)) == sender


@pytest.mark.parametrize(
    "headers",
    [
        (x(""),),
        (x(","),),
        (x("unknown"),),
        (x("localhost"),),
        (x("192.0.2.300"),),
        (x("192.0.2.7:123456"),),
        (x("[2001:db8::9"),),
        (x("192.0.2.7; x"),),
        (x("\xb2.0.2.7"),),
        (x("1" * 4000),),
        (f("for=_hidden"),),
        (f("for=unknown"),),
        (f("proto=https"),),
        (f('for="192.0.2.7'),),
        (f("for=192.0.2.7 for=192.0.2.8"),),
        (f("192.0.2.7"),),
        (f("for=" + '"\\' * 2000),),
        # what a client wrote into the header that the proxy does not know
        (f("for=192.0.2.8"), x(OUTSIDE)),
    ],
)
def test_what_is_malformed_or_contradicts_itself_says_nothing_of_the_sender(
    headers: tuple[tuple[str, str], ...],
) -> None:
    assert TRUSTED.sender(sent(PROXY, *headers)) == PROXY


def test_what_is_malformed_left_of_the_sender_is_not_looked_at_and_hides_nobody() -> None:
    assert TRUSTED.sender(sent(PROXY, x(f"<script>, {OUTSIDE}"))) == OUTSIDE
    assert TRUSTED.sender(sent(PROXY, x(f"unknown, {SECOND}"))) == SECOND


def test_where_no_proxy_is_named_those_on_this_machine_are_believed_and_where_one_is_no_other() -> None:
    for peer in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        assert Proxies().sender(sent(peer, x(OUTSIDE))) == OUTSIDE
        assert TRUSTED.sender(sent(peer, x(OUTSIDE))).endswith("1")
    assert Proxies().sender(sent(PROXY, x(OUTSIDE))) == PROXY


@pytest.mark.parametrize(
    ("peer", "headers", "scheme", "encrypted"),
    [
        (PROXY, (("X-Forwarded-Proto", "https"),), "http", True),
        (PROXY, (("X-Forwarded-Proto", "HTTPS, http"),), "http", True),
        (PROXY, (f("for=192.0.2.7;proto=https"),), "http", True),
        (PROXY, (("X-Forwarded-Proto", "http"),), "http", False),
        (PROXY, (("X-Forwarded-Proto", "https evil"),), "http", False),
        (PROXY, (), "http", False),
        (OUTSIDE, (("X-Forwarded-Proto", "https"),), "http", False),
        (OUTSIDE, (), "https", True),
        ("", (("X-Forwarded-Proto", "https"),), "http", False),
    ],
)
def test_only_a_trusted_proxy_says_that_a_request_was_sent_by_https(
    peer: str, headers: tuple[tuple[str, str], ...], scheme: str, encrypted: object
) -> None:
    request = sent(peer, *headers, scheme=scheme)
    assert TRUSTED.encrypted(request) is encrypted
    assert Access("0.0.0.0", "", proxies=TRUSTED).is_encrypted(request) is encrypted  # noqa: S104 - as an operator may
    assert Access("127.0.0.1", "https://regreen.example", proxies=TRUSTED).is_encrypted(request)


def local(proxies: Proxies, peer: str, *headers: tuple[str, str]) -> bool:
    request: HTTPConnection = sent(peer, ("Host", "127.0.0.1:8080"), *headers)
    return Access("127.0.0.1", "", proxies=proxies).is_local(request)


def test_no_header_makes_anybody_local_and_each_that_a_proxy_adds_makes_nobody_so() -> None:
    assert local(Proxies(), "127.0.0.1")
    assert local(Proxies(), "::1")
    for name in ("X-Forwarded-For", "X-Forwarded-Port", "Forwarded", "Via", "X-Real-IP", "True-Client-IP"):
        for value in ("127.0.0.1", "::1", "localhost", "for=127.0.0.1", "", "nonsense"):
            assert not local(Proxies(), "127.0.0.1", (name, value)), (name, value)
            assert not local(Proxies(), OUTSIDE, (name, value)), (name, value)
            assert not local(TRUSTED, PROXY, (name, value)), (name, value)


def test_a_named_proxy_on_this_machine_that_adds_nothing_makes_nobody_local() -> None:
    named = Proxies((ip_network("127.0.0.1/32"),))
    assert not local(named, "127.0.0.1")
    assert not local(named, "::ffff:127.0.0.1")
    assert local(named, "::1"), "people on this machine come by the address that is not the proxy's"


def test_wrong_tokens_through_a_proxy_lock_out_their_own_sender_and_nobody_else() -> None:
    now = FakeTime()
    sessions = Sessions(SecretStr("a-token-of-an-operator"), now, FakeEndedSessions())
    access = Access("0.0.0.0", "", sessions=sessions, attempts=Attempts(now, most=3), proxies=TRUSTED)  # noqa: S104 - as above

    def tries(sender: str) -> bool:
        try:
            access.opens(sent(PROXY, x(f"{OUTSIDE}, {sender}")), "wrong")
        except TooOftenError:
            return False
        return True

    assert [tries("203.0.113.5") for _ in range(4)] == [True, True, True, False]
    assert [tries(f"2001:db8::{number}") for number in range(4)] == [True, True, True, False]
    assert tries("203.0.113.6")
    assert access.opens(sent(PROXY, x("2001:db8:1::1")), "a-token-of-an-operator")
