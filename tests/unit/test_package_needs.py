"""What tests need of Debian is got, or asked for exactly; where it is required nothing runs without it."""

from pathlib import Path

import pytest

from bot.demo import bootstrap, chromium, compose, postgres
from bot.demo.machine import NotReadyError
from bot.demo.packages import Need

NEEDS = [pytest.param(module.NEED, id=module.__name__) for module in (chromium, compose, postgres)]


@pytest.mark.parametrize("need", NEEDS)
def test_what_is_there_is_left_alone(need: Need) -> None:
    said: list[str] = []
    need.provide({need.require: "1"}, said.append, lambda: "found")
    assert said == []


@pytest.mark.parametrize("need", NEEDS)
def test_where_it_is_missing_the_exact_command_is_said_and_the_rest_goes_on(need: Need) -> None:
    said: list[str] = []
    need.provide({}, said.append, lambda: None)
    assert len(said) == 1
    assert f"apt-get install -y --no-install-recommends {need.packages[0]}" in said[0]
    assert need.before in said[0]
    assert "left out" in said[0]


@pytest.mark.parametrize("need", NEEDS)
def test_where_it_is_required_nothing_runs_without_it(need: Need) -> None:
    with pytest.raises(NotReadyError, match=need.packages[0]):
        need.provide({need.require: "1"}, print, lambda: None)


def test_postgres_comes_without_a_cluster_of_the_system() -> None:
    assert "create_main_cluster = false" in postgres.NEED.before


def test_the_newest_version_of_postgres_that_has_a_server_is_found(tmp_path: Path) -> None:
    for version, names in {"9.6": ("initdb", "postgres"), "15": ("initdb", "postgres"), "16": ("initdb",)}.items():
        programs = tmp_path / version / "bin"
        programs.mkdir(parents=True)
        for name in names:
            (programs / name).touch()
    assert postgres.programs(tmp_path) == tmp_path / "15" / "bin"


def test_a_command_that_needs_no_engine_runs_without_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main(["--without-engine", "echo", "done"], {"DOCKER_HOST": "unix:///nowhere"}) == 0
    assert "done" in capfd.readouterr().out
