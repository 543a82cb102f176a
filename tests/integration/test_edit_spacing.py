"""Ten seconds between two edits of one comment, through the adapter and the stand-in."""

import time
from collections.abc import Iterator

import pytest
from github_worlds import BOT, Keys, StandInWorld

from bot.adapters.github import Pace, RestGitHub
from bot.demo.stand_in import StandIn

MARK = "<!-- regreen:status=issue-1 -->"


@pytest.fixture
def world() -> Iterator[StandInWorld]:
    keys = Keys.make()
    with StandIn(StandInWorld.config(keys)) as running:
        yield StandInWorld(running, keys)


def test_states_in_between_are_overtaken_and_the_last_one_waits_for_its_turn(world: StandInWorld) -> None:
    waits: list[float] = []
    pace = Pace(0.0, edit_spacing=10.0, backoff=0.01, sleep=waits.append)
    github = RestGitHub(world.tokens, world.installation, world.full_name, bot_login=BOT, pace=pace)
    number = world.open_issue("regreen")
    for step in ("begun", "fetching", "repairing"):
        github.put_comment(number, MARK, f"{MARK}\n{step}", soon=True)
    edits = lambda: world.state.count("PATCH", "/issues/comments/")  # noqa: E731 - asked twice
    assert ([comment.body for comment in world.comments(number)], edits()) == ([f"{MARK}\nbegun"], 0)
    github.put_comment(number, MARK, f"{MARK}\ndone")
    assert ([comment.body for comment in world.comments(number)], edits()) == ([f"{MARK}\ndone"], 1)
    assert len(waits) == 1
    assert 0 < waits[0] <= 10


def test_a_last_state_that_stands_already_overtakes_what_waits(world: StandInWorld) -> None:
    pace = Pace(0.0, edit_spacing=1.0)
    github = RestGitHub(world.tokens, world.installation, world.full_name, bot_login=BOT, pace=pace)
    number = world.open_issue("regreen")
    for text, soon in (("failed", False), ("fetching", True), ("failed", False)):
        github.put_comment(number, MARK, f"{MARK}\n{text}", soon=soon)
    time.sleep(1.5)
    assert [comment.body for comment in world.comments(number)] == [f"{MARK}\nfailed"]


def test_a_restarted_worker_waits_too_since_github_says_when_it_was_edited(world: StandInWorld) -> None:
    number = world.open_issue("regreen")
    world.github.put_comment(number, MARK, f"{MARK}\nbegun")
    waits: list[float] = []
    pace = Pace(0.0, edit_spacing=10.0, sleep=waits.append)
    again = RestGitHub(world.tokens, world.installation, world.full_name, bot_login=BOT, pace=pace)
    again.put_comment(number, MARK, f"{MARK}\ndone")
    assert len(waits) == 1
