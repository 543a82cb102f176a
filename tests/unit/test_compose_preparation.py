"""docker-compose is got or asked for exactly; where it is required nothing runs without it."""

import pytest

from bot.demo import compose
from bot.demo.machine import NotReadyError


def test_where_it_is_missing_the_exact_command_is_said() -> None:
    said: list[str] = []
    compose.provide({}, said.append, lambda: None)
    assert len(said) == 1
    assert "apt-get install -y --no-install-recommends docker-compose" in said[0]
    assert "left out" in said[0]


def test_where_it_is_required_nothing_runs_without_it() -> None:
    with pytest.raises(NotReadyError, match="docker-compose"):
        compose.provide({compose.REQUIRE: "1"}, print, lambda: None)
    said: list[str] = []
    compose.provide({compose.REQUIRE: "1"}, said.append, lambda: ("docker", "compose"))
    assert said == []
