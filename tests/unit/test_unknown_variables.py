"""A setting with a typo in its name is not silent."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.settings import named_alike
from bot.variables import known, unknown

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"\bREGREEN_[A-Z][A-Z_]*[A-Z]\b(?!_)")


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in unknown(named_alike()):
        monkeypatch.delenv(one.name)


def test_a_typo_is_named_with_the_nearest_setting_and_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_MAX_MINUETS", "canary")
    monkeypatch.setenv("REGREEN_ZEBRA", "canary")
    typo, other = unknown(named_alike())
    assert (typo.name, typo.nearest) == ("REGREEN_MAX_MINUETS", "REGREEN_MAX_MINUTES")
    assert "REGREEN_MAX_MINUTES" in typo.remedy
    assert (other.name, other.nearest) == ("REGREEN_ZEBRA", "")


@pytest.mark.parametrize(
    "name", ["REGREEN_YES", "REGREEN_MODEL_CODER", "regreen_max_minutes", "REGREENISH", "OPENAI_API"]
)
def test_what_is_read_somewhere_or_is_not_ours_is_not_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "x")
    assert unknown(named_alike()) == ()


def test_every_variable_that_is_written_of_is_known() -> None:
    places = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "Dockerfile")]
    for folder in ("bot", "sandbox", "deploy", "docs"):
        places += [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    named = {name for path in places for name in NAMED.findall(path.read_bytes().decode(errors="replace"))}
    assert named <= known()


def test_each_command_warns_of_it_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("REGREEN_MAX_MINUETS", "canary")
    done = CliRunner().invoke(app, ["deliveries", "list", "--json"])
    assert json.loads(done.stdout) == {"deliveries": []}
    assert done.stderr.count("REGREEN_MAX_MINUETS") == 1
    assert "REGREEN_MAX_MINUTES" in done.stderr
    assert "canary" not in done.stderr
