"""What every store of the sessions that were signed out of does, whichever it is in."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes_sessions import FakeEndedSessions
from fakes_store import FakeTime
from pydantic import SecretStr

from bot.adapters.store import SqlEndedSessions, connect, migrate
from bot.pipeline.ports.store import EndedSessions
from bot.web.sessions import SECONDS, Sessions

TOKEN = SecretStr("a-token-of-an-operator")


@pytest.fixture(params=["fake", "sqlite", "postgres"])
def ended(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EndedSessions]:
    if request.param == "fake":
        yield FakeEndedSessions()
        return
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'regreen.sqlite'}" if sqlite else request.getfixturevalue("postgres")
    migrate(url)
    engine = connect(url)
    yield SqlEndedSessions(engine)
    engine.dispose()


def test_what_was_signed_out_of_stays_so_however_often_and_others_do_not(ended: EndedSessions) -> None:
    assert not ended.has_ended("one")
    for _ in range(2):
        ended.end("one", 900)
        assert ended.has_ended("one")
    assert not ended.has_ended("another")


def test_many_may_sign_out_of_the_same_at_once(ended: EndedSessions) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: ended.end(f"{number % 3}", number), range(24)))
    assert [ended.has_ended(f"{number}") for number in range(4)] == [True, True, True, False]


def test_a_copied_cookie_opens_nothing_after_a_restart_nor_at_another_server(ended: EndedSessions) -> None:
    now = FakeTime()
    here, there = Sessions(TOKEN, now, ended), Sessions(TOKEN, now, ended)
    cookie, other = here.begin(), here.begin()
    session = there.find(cookie)
    assert session
    here.end(session)
    again = Sessions(TOKEN, now, ended)
    assert [server.find(cookie) for server in (here, there, again)] == [None] * 3
    assert again.find(other), "each session ends by itself"
    now.seconds += SECONDS
    assert again.find(other) is None
