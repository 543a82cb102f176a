"""How every `GitHub` tells the App's own pull requests for a subject: the fake, and the adapter over the stand-in."""

from collections.abc import Iterator

import pytest
from github_worlds import BOT, FakeWorld, StandInWorld, World, over_rest

from bot.pipeline.ports.github import NewPullRequest
from sandbox.spec import File

MARK, OTHER = "<!-- regreen:subject=issue-1 -->", "<!-- regreen:subject=issue-9 -->"
OURS = "regreen/issue-1"


@pytest.fixture(params=["fake", "rest"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "fake":
        yield FakeWorld()
        return
    with over_rest(request) as (stand_in, keys):
        yield StandInWorld(stand_in, keys)


def opened(world: World, head: str, body: str, by: str = BOT) -> int:
    world.push(head, {head: File(b"1")})
    return world.open_pull(NewPullRequest(head, "main", "Fix it", body, draft=False), by)


def known(world: World, marker: str = MARK) -> list[int]:
    return [one.number for one in world.github.pull_requests(marker)]


@pytest.mark.parametrize(
    "body",
    [
        f"Reviewed by QA, see the board.\n\n{MARK}\nFixes #1.",
        f"\r\n{MARK}\r\nFixes #1.",
        "The text was written anew.",
        "",
    ],
)
def test_ours_stays_ours_whatever_people_write_above_the_marker_or_instead_of_it(world: World, body: str) -> None:
    number = opened(world, OURS, body)
    assert known(world) == [number]
    assert known(world, OTHER) == []
    again = world.github.open_pull_request(NewPullRequest(OURS, "main", "Fix it", MARK, draft=False), MARK)
    assert again.number == number
    world.close(number)
    assert known(world) == [number]


@pytest.mark.parametrize("head", ["regreen/issue-1-2", "regreen/issue-1.2", "regreen-issue-1"])
def test_without_a_marker_every_name_that_we_give_a_branch_tells(world: World, head: str) -> None:
    number = opened(world, head, "")
    assert known(world) == [number]


def test_the_marker_goes_before_the_branch_and_is_one_where_it_has_a_line_of_its_own(world: World) -> None:
    moved = opened(world, "topic", f"note\n{MARK}")
    opened(world, OURS, f"{OTHER}\n{MARK}")
    opened(world, "other", f"see {MARK}")
    assert known(world) == [moved]


def test_a_marker_and_a_branch_of_anybody_else_make_nothing_ours(world: World) -> None:
    opened(world, OURS, f"{MARK}\nFixes #1.", by="mallory")
    assert known(world) == []
