"""The demo's person reads listings to their end, as a browser's reader does by turning the page."""

from collections.abc import Iterator

import pytest
from github_worlds import BOT, Keys, StandInWorld

from bot.demo.person import Person
from bot.demo.stand_in import StandIn
from bot.pipeline.ports.github import NewPullRequest
from sandbox.spec import File

MANY = 31
"""One more than GitHub puts on a page that nobody asked to be larger."""


@pytest.fixture
def world() -> Iterator[StandInWorld]:
    keys = Keys.make()
    with StandIn(StandInWorld.config(keys)) as stand_in:
        yield StandInWorld(stand_in, keys)


def person(world: StandInWorld) -> Person:
    return Person.at(world.stand_in.api_url, world.state.issue_user_token(world.state.add_user("reader").login))


def test_all_pages_of_pull_requests_are_read(world: StandInWorld) -> None:
    for number in range(MANY):
        world.push(f"b{number}", {"f": File(b"%d" % number)})
        world.open_pull(NewPullRequest(f"b{number}", "main", "t", "", draft=False), BOT)
    reader = person(world)
    heads = [pull.head for pull in reader.pulls(world.full_name)]
    reader.client.close()
    assert sorted(heads) == sorted(f"b{number}" for number in range(MANY))


def test_all_pages_of_comments_are_read(world: StandInWorld) -> None:
    issue = world.open_issue()
    for number in range(MANY):
        world.comment(issue, str(number), BOT)
    reader = person(world)
    said = reader.comments(world.full_name, issue)
    reader.client.close()
    assert said == tuple(map(str, range(MANY)))
