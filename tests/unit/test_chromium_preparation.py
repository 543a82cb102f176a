"""Tests of pages get their browser, or are left out aloud: only where it is required does nothing run without."""

from pathlib import Path

import pytest

from bot.demo import chromium
from bot.demo.machine import NotReadyError


def test_a_browser_that_is_there_is_left_alone() -> None:
    said: list[str] = []
    chromium.provide({chromium.REQUIRE: "1"}, said.append, lambda: Path("chromium"))
    assert said == []


def test_where_it_is_missing_the_exact_command_is_said_and_the_rest_goes_on() -> None:
    said: list[str] = []
    chromium.provide({}, said.append, lambda: None)
    assert "apt-get install -y --no-install-recommends chromium" in said[0]
    assert "left out" in said[0]


def test_where_it_is_required_nothing_runs_without_it() -> None:
    with pytest.raises(NotReadyError, match="chromium"):
        chromium.provide({chromium.REQUIRE: "1"}, print, lambda: None)
