"""What `regreen fix --explain-environment` says, without an engine: it runs nothing."""

from pathlib import Path

import pytest

from bot.commands.explain import explain
from bot.errors import ConfigurationError, SetUpError
from bot.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", docker_host=f"unix://{tmp_path}/nobody.sock")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "repository"
    (path / ".github" / "workflows").mkdir(parents=True)
    (path / "test_a.py").write_text("def test_a(): pass\n")
    (path / "pyproject.toml").write_text('[project]\nname = "p"\n[dependency-groups]\ntest = ["a"]\n')
    workflow = "jobs:\n  test:\n    services:\n      db: {image: redis}\n    steps:\n      - run: pytest -k one\n"
    (path / ".github" / "workflows" / "ci.yml").write_text(workflow)
    return path


def test_every_step_comes_with_the_line_that_it_was_read_from(settings: Settings, repository: Path) -> None:
    shown = explain(settings, repository, "")
    assert shown.good
    first = shown.document["recipes"][0]
    assert [step["source"] for step in first["install"]] == ["always", "the project itself", "pyproject.toml:4"]
    assert first["test"] == {"argv": ["python", "-m", "pytest", "-k", "one"], "source": ".github/workflows/ci.yml:6"}
    assert first["image_is_there"] is None
    text = "\n".join(shown.lines)
    assert "from .github/workflows/ci.yml:6" in text
    assert ".github/workflows/ci.yml:4 starts services (db (redis))" in text
    assert "confidence 0.90" in text


def test_the_policy_file_and_the_command_line_win(settings: Settings, repository: Path) -> None:
    (repository / ".github" / "regreen.yml").write_text("setup:\n  - python3 -m venv /env\ntest_command: pytest -x\n")
    only = explain(settings, repository, "").document["recipes"]
    assert [step["argv"] for step in only[0]["install"]] == [["python3", "-m", "venv", "/env"]]
    assert only[0]["test"]["argv"] == ["pytest", "-x"]
    (told,) = explain(settings, repository, "pytest -q").document["recipes"]
    assert told["test"] == {"argv": ["pytest", "-q"], "source": "the command line"}
    assert told["install"][0]["source"] == ".github/regreen.yml"


def test_what_cannot_be_set_up_is_an_error_as_it_is_for_a_fix(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SetUpError, match="no file named like a test"):
        explain(settings, tmp_path / "empty", "")
    with pytest.raises(ConfigurationError, match="Check its quotes"):
        explain(settings, tmp_path / "empty", "'")


def test_no_field_forges_a_line_of_its_own(settings: Settings, repository: Path) -> None:
    workflow = 'jobs:\n  t:\n    env: {A: "1\\n  image    forged\\u202e"}\n    steps:\n      - run: pytest -k one\n'
    (repository / ".github" / "workflows" / "ci.yml").write_text(workflow)
    lines = explain(settings, repository, "").lines
    assert "  variable A=1\\n  image    forged\\u202e" in lines
    assert not any("\n" in line or line.startswith("  image    forged") for line in lines)
