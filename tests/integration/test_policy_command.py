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


def test_a_directory_is_one_that_has_the_file(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    path = tmp_path / ".github" / "regreen.yml"
    path.write_text("draft: true\n")
    assert run("check", str(tmp_path)) == (0, f"{path} is understood.\n")


def test_another_ending_is_said_to_be_the_reason(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "regreen.yaml").write_text("draft: true\n")
    result = CliRunner().invoke(app, ["policy", "check", str(tmp_path)])
    assert result.exit_code == 3
    assert "regreen.yaml, which Regreen does not read: rename it to regreen.yml" in result.stderr


def test_a_file_under_another_name_is_checked_and_its_name_warned_of(tmp_path: Path) -> None:
    path = tmp_path / ".github" / "regreen.yaml"
    path.parent.mkdir()
    path.write_text("draft: true\n")
    code, said = run("check", str(path))
    assert code == 0
    assert "warning: Regreen reads .github/regreen.yml alone: rename this file" in said


def test_a_command_that_may_give_no_results_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "regreen.yml"
    path.write_text("draft: true\ntest_command: make test\n")
    code, said = run("check", str(path))
    assert (code, said.splitlines()[0]) == (0, f"{path} is understood.")
    assert f"{path}:2: warning: test_command: " in said
    warnings = json.loads(run("check", "--json", str(path))[1])["warnings"]
    assert [(one["line"], one["key"]) for one in warnings] == [(2, "test_command")]


def test_the_schema_is_printed() -> None:
    assert run("schema") == (0, schema())
