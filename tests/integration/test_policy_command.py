"""`regreen policy`: the file checked before it is pushed."""

import json
from pathlib import Path

from typer.testing import CliRunner

from bot.cli import app
from bot.policy.schema import schema


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["policy", *arguments])
    return result.exit_code, result.stdout


def test_every_fault_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "regreen.yml"
    path.write_text("draft: true\nlable: x\nbudget:\n  dollars: -1\n")
    code, said = run("check", str(path))
    assert code == 1
    assert [line.partition("regreen.yml:")[2].partition(": ")[0] for line in said.splitlines()] == ["2", "4"]
    code, said = run("check", "--json", str(path))
    assert (code, [one["key"] for one in json.loads(said)["faults"]]) == (1, ["lable", "budget.dollars"])


def test_a_good_file_is_understood_and_a_missing_one_is_said(tmp_path: Path) -> None:
    (tmp_path / "regreen.yml").write_text("draft: true\n")
    assert run("check", str(tmp_path / "regreen.yml")) == (0, f"{tmp_path / 'regreen.yml'} is understood.\n")
    assert run("check", str(tmp_path / "none.yml"))[0] == 3


def test_the_schema_is_printed() -> None:
    assert run("schema") == (0, schema())
