"""Permissions are asked for live, and remembered for a minute."""

from collections.abc import Callable

import pytest

from bot.adapters.github.levels import MOST_KEPT, Levels
from bot.errors import GitHubUnavailableError
from bot.pipeline.ports.github import Permission


class Asked:
    """GitHub's answer, and how often it was asked for it."""

    def __init__(self, level: Permission) -> None:
        self.level, self.times, self.now = level, 0, 0.0

    def __call__(self) -> Permission:
        self.times += 1
        return self.level


def world(level: Permission = Permission.WRITE) -> tuple[Asked, Callable[..., Permission]]:
    asked = Asked(level)
    levels = Levels(clock=lambda: asked.now)
    return asked, lambda login="mona", repository="o/r", installation=5: levels.of(
        installation, repository, login, asked
    )


def test_a_burst_asks_once_whatever_the_case_of_the_login() -> None:
    asked, level = world()
    assert {level(name) for name in ("mona", "Mona", "mona")} == {Permission.WRITE}
    assert asked.times == 1


def test_who_lost_the_permission_has_it_for_a_minute_at_most() -> None:
    asked, level = world()
    level()
    asked.level, asked.now = Permission.READ, 59.9
    assert level() is Permission.WRITE
    asked.now = 60.0
    assert level() is Permission.READ


def test_nobody_gets_what_another_has_here_or_elsewhere() -> None:
    asked, level = world()
    level()
    asked.level = Permission.NONE
    assert {level("eve"), level(repository="o/other"), level(installation=6)} == {Permission.NONE}
    assert asked.times == 4


def test_an_error_is_not_remembered() -> None:
    levels = Levels()

    def fails() -> Permission:
        raise GitHubUnavailableError("502", "wait")

    with pytest.raises(GitHubUnavailableError):
        levels.of(5, "o/r", "mona", fails)
    assert levels.of(5, "o/r", "mona", lambda: Permission.ADMIN) is Permission.ADMIN


def test_what_is_kept_is_bounded() -> None:
    asked, level = world()
    for number in range(MOST_KEPT + 1):
        level(f"u{number}")
    level("u0")
    assert asked.times == MOST_KEPT + 2
