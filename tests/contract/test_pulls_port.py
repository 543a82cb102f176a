"""What every `Pulls` does: the fake in memory, and the adapter against the stand-in over HTTP."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import pytest
from fakes_desk import FakePulls
from github_worlds import BOT, Keys, StandInWorld, over_rest

from bot.adapters.github import RestPulls
from bot.demo.stand_in import StandIn
from bot.events import PullRequest
from bot.pipeline.ports.github import NewPullRequest
from bot.pipeline.ports.pulls import Pulls
from sandbox.spec import File

MARK = "<!-- regreen:subject=issue-7 -->"


class Site(Protocol):
    """A repository where pull requests are opened and closed."""

    @property
    def pulls(self) -> Pulls: ...
    def open(self, branch: str, base: str = "main", by: str = BOT) -> int: ...
    def close(self, number: int) -> None: ...


class FakeSite:
    def __init__(self) -> None:
        self.pulls = FakePulls()

    def open(self, branch: str, base: str = "main", by: str = BOT) -> int:
        number = len(self.pulls.seen) + 1
        self.pulls.seen.append(PullRequest(number, by, MARK, branch, "a" * 40, base, is_open=True, is_fork=False))
        return number

    def close(self, number: int) -> None:
        self.pulls.seen[number - 1] = replace(self.pulls.seen[number - 1], is_open=False)


class RestSite:
    def __init__(self, stand_in: StandIn, keys: Keys) -> None:
        self.world = StandInWorld(stand_in, keys)
        world = self.world
        self.pulls = RestPulls(world.tokens, world.installation, world.full_name, bot_login=BOT, pace=world.pace)

    def open(self, branch: str, base: str = "main", by: str = BOT) -> int:
        if self.world.github.branch_head(base) is None:
            self.world.push(base, {})
        if self.world.github.branch_head(branch) is None:
            self.world.push(branch, {"a.txt": File(branch.encode())})
        return self.world.open_pull(NewPullRequest(branch, base, "Fix", f"{MARK}\nMore", draft=False), by)

    def close(self, number: int) -> None:
        self.world.close(number)


@pytest.fixture(params=["fake", "rest"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    if request.param == "fake":
        yield FakeSite()
        return
    with over_rest(request) as (stand_in, keys):
        yield RestSite(stand_in, keys)


def test_a_pull_request_is_seen_as_an_event_shows_it(site: Site) -> None:
    number = site.open("regreen/issue-7")
    seen = site.pulls.by_number(number)
    assert seen is not None
    assert (seen.number, seen.author, seen.mark) == (number, BOT, MARK)
    assert (seen.head_branch, seen.base_branch) == ("regreen/issue-7", "main")
    assert (seen.is_open, seen.is_fork) == (True, False)
    site.close(number)
    closed = site.pulls.by_number(number)
    assert closed is not None
    assert not closed.is_open


def test_a_number_that_is_no_pull_requests_is_none(site: Site) -> None:
    assert site.pulls.by_number(999) is None


def test_the_open_pull_request_from_a_branch_is_found_and_no_other(site: Site) -> None:
    others, number = site.open("topic/other"), site.open("topic/one")
    found = site.pulls.from_branch("topic/one")
    assert found is not None
    assert found.number == number != others
    assert site.pulls.from_branch("topic") is None
    assert site.pulls.from_branch("nothing like this") is None
    site.close(number)
    assert site.pulls.from_branch("topic/one") is None


def test_of_several_from_one_branch_ours_is_seen_else_the_oldest(site: Site) -> None:
    before, number, after = (
        site.open("regreen/issue-7", "one", by="mallory"),
        site.open("regreen/issue-7"),
        site.open("regreen/issue-7", "two", by="mallory"),
    )
    for closed, expected in ((0, number), (number, before), (before, after)):
        if closed:
            site.close(closed)
        found = site.pulls.from_branch("regreen/issue-7")
        assert found is not None
        assert found.number == expected
