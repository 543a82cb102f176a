"""What every `App` does: the fake in memory, and the adapter against the stand-in over HTTP."""

from collections.abc import Iterator
from typing import Protocol

import pytest
from fakes_app import FakeApp
from github_worlds import Keys, StandInWorld, over_rest
from pydantic import SecretStr

from bot.adapters.github import InstallationTokens, RestApp
from bot.demo.stand_in import StandIn
from bot.errors import NotFoundError
from bot.pipeline.ports.app import App

SOME = 300


class Site(Protocol):
    """The App and its webhook, at which nobody listens."""

    @property
    def app(self) -> App: ...
    @property
    def installation(self) -> int: ...
    @property
    def repository(self) -> str: ...
    def fail(self) -> str:
        """A delivery that nobody takes; its id."""
        ...

    def outcomes(self) -> list[str]:
        """The ids of all deliveries that were asked for again."""
        ...


class FakeSite:
    installation, repository = 7, "owner/r"

    def __init__(self) -> None:
        self.app = self.fake = FakeApp(installations={7: {"owner/r"}})

    def fail(self) -> str:
        return self.fake.sent(f"guid-{len(self.fake.log)}", 5.0 + len(self.fake.log), ok=False).guid

    def outcomes(self) -> list[str]:
        return [self.fake.log[identity - 1].guid for identity in self.fake.redelivered]


class RestSite:
    def __init__(self, stand_in: StandIn, keys: Keys) -> None:
        world = StandInWorld(stand_in, keys)
        self.installation, self.repository = world.installation, world.full_name
        self.hooks = stand_in.state.hooks
        self.hooks.pending.clear()
        self.hooks.log.clear()
        tokens = InstallationTokens(stand_in.state.app.id, SecretStr(keys.private), stand_in.api_url, backoff=0.01)
        self.app = RestApp(tokens)

    def fail(self) -> str:
        guid = self.hooks.send("issues", "labeled", (self.installation, 1), {}).guid
        self.hooks.drop(guid)
        return guid

    def outcomes(self) -> list[str]:
        return [one.guid for one in self.hooks.pending if one.redelivery]


@pytest.fixture(params=["fake", "rest"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    if request.param == "fake":
        yield FakeSite()
        return
    with over_rest(request) as (stand_in, keys):
        yield RestSite(stand_in, keys)


def test_lists_what_was_sent_newest_first_over_all_pages(site: Site) -> None:
    guids = [site.fail() for _ in range(250)]
    seen = site.app.attempts(0.0, SOME)
    assert [one.guid for one in seen.found] == guids[::-1]
    assert seen.whole
    assert {(one.event, one.ok) for one in seen.found} == {("issues", False)}


def test_says_when_there_is_more_than_was_asked_for(site: Site) -> None:
    guids = [site.fail() for _ in range(3)]
    few = site.app.attempts(0.0, 2)
    assert [one.guid for one in few.found] == guids[:0:-1]
    assert not few.whole


def test_lists_nothing_older_than_was_asked_for(site: Site) -> None:
    site.fail()
    (one,) = site.app.attempts(0.0, SOME).found
    assert site.app.attempts(one.at, SOME).found == (one,)
    assert site.app.attempts(one.at + 2, SOME).found == ()


def test_a_redelivery_keeps_its_id(site: Site) -> None:
    guid = site.fail()
    (one,) = site.app.attempts(0.0, SOME).found
    site.app.redeliver(one.identity)
    assert site.outcomes() == [guid]


def test_a_delivery_that_github_does_not_keep_is_not_found(site: Site) -> None:
    with pytest.raises(NotFoundError):
        site.app.redeliver(2**40)


def test_knows_where_it_is_installed(site: Site) -> None:
    assert site.app.installed(site.installation)
    assert site.app.installed(site.installation, site.repository)


@pytest.mark.parametrize(("off", "repository"), [(2**40, ""), (0, "owner/nobodys"), (2**40, "owner/nobodys")])
def test_knows_where_it_is_not(site: Site, off: int, repository: str) -> None:
    assert not site.app.installed(site.installation + off, repository)
