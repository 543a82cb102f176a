"""Postgres' programs come without a cluster of the system; what that takes is said exactly."""

from pathlib import Path

import pytest

from bot.demo import bootstrap, postgres
from bot.demo.machine import NotReadyError


def test_the_newest_version_that_has_a_server_is_found(tmp_path: Path) -> None:
    for version, names in {"9.6": ("initdb", "postgres"), "15": ("initdb", "postgres"), "16": ("initdb",)}.items():
        programs = tmp_path / version / "bin"
        programs.mkdir(parents=True)
        for name in names:
            (programs / name).touch()
    assert postgres.programs(tmp_path) == tmp_path / "15" / "bin"


def test_where_it_is_missing_the_exact_command_is_said_which_makes_no_cluster_of_the_system() -> None:
    said: list[str] = []
    postgres.provide({}, said.append, lambda: None)
    assert len(said) == 1
    assert "create_main_cluster = false" in said[0]
    assert "apt-get install -y --no-install-recommends postgresql" in said[0]
    assert "left out" in said[0]


def test_where_it_is_required_nothing_runs_without_it(tmp_path: Path) -> None:
    required = {postgres.REQUIRE: "1"}
    with pytest.raises(NotReadyError, match="postgresql"):
        postgres.provide(required, print, lambda: None)
    said: list[str] = []
    postgres.provide(required, said.append, lambda: tmp_path)
    assert said == []


def test_a_command_that_needs_no_engine_runs_without_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main(["--without-engine", "echo", "done"], {"DOCKER_HOST": "unix:///nowhere"}) == 0
    assert "done" in capfd.readouterr().out
