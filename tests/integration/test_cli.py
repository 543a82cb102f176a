"""The command line without a container engine: arguments, exit statuses, errors for people and for machines."""

import json
from importlib import metadata
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bot.cli import app
from bot.cli.reporting import reported
from bot.cli.statuses import Status

RUN = CliRunner()


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "REGREEN_MODEL", "REGREEN_APP_ID", "REGREEN_WEBHOOK_SECRETS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("REGREEN_DOCKER_HOST", "unix:///nowhere.sock")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "repository").mkdir()
    return tmp_path / "repository"


def test_help_names_every_command_and_the_exit_statuses() -> None:
    text = RUN.invoke(app, ["--help"]).stdout
    for word in ["serve", "worker", "fix", "gate", "solve", "base", "doctor", "demo", "setup", "smee", "deliveries"]:
        assert word in text
    assert "Exit status" in text


def test_the_version_is_said_without_reading_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_PORT", "seventy")
    done = RUN.invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"regreen {metadata.version('regreen')}\n")


def test_a_wrong_path_is_wrong_usage() -> None:
    assert RUN.invoke(app, ["fix", "/nowhere/at/all"]).exit_code == 2


def test_an_error_names_cause_and_remedy_on_standard_error(empty: Path) -> None:
    done = RUN.invoke(app, ["fix", str(empty)])
    assert done.exit_code == 3
    assert done.stdout == ""
    assert "SetUpError" in done.stderr


def test_an_error_is_a_document_where_one_was_asked_for(empty: Path) -> None:
    document = json.loads(RUN.invoke(app, ["fix", str(empty), "--json"]).stdout)
    assert set(document) == {"error"}
    assert set(document["error"]) == {"kind", "cause", "remedy"}


def test_an_engine_that_does_not_answer_is_named(empty: Path) -> None:
    (empty / "test_one.py").write_text("def test_one(): assert False\n")
    done = RUN.invoke(app, ["fix", str(empty)])
    assert done.exit_code == 3
    assert "EngineDownError" in done.stderr


@pytest.mark.parametrize("word", [r"a\u0000b", r"a\ud800b"])
@pytest.mark.parametrize("option", [[], ["--explain-environment"], ["--json"]])
def test_what_no_command_line_can_hold_is_an_error_like_any_other(empty: Path, word: str, option: list[str]) -> None:
    (empty / "package.json").write_text('{"scripts":{"test":"node --test WORD"}}'.replace("WORD", word))
    (empty / "a.test.js").write_text("")
    done = RUN.invoke(app, ["fix", str(empty), *option])
    assert done.exit_code == 3
    assert "SetUpError" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "error", [ValueError("\ud800\0"), LookupError("hex"), RecursionError(), OSError(5, "e"), KeyError()]
)
def test_even_what_nobody_foresaw_ends_in_an_error_and_its_exit_status(error: Exception) -> None:
    def unforeseen() -> None:
        with reported():
            raise error

    with pytest.raises(typer.Exit) as ended:
        unforeseen()
    assert ended.value.exit_code == Status.COULD_NOT_RUN


def test_a_broken_policy_file_of_the_tree_is_named(empty: Path) -> None:
    (empty / ".github").mkdir()
    (empty / ".github" / "regreen.yml").write_text("test_comand: pytest\n")
    done = RUN.invoke(app, ["fix", str(empty)])
    assert done.exit_code == 3
    assert "test_comand" in done.stderr


def test_a_patch_that_is_no_diff_is_refused(empty: Path, tmp_path: Path) -> None:
    (tmp_path / "p.diff").write_text("hello\n")
    done = RUN.invoke(app, ["gate", str(empty), str(tmp_path / "p.diff")])
    assert done.exit_code == 3
    assert "EditError" in done.stderr


def test_code_from_a_description_needs_a_model(tmp_path: Path) -> None:
    (tmp_path / "task.md").write_text("Write f.")
    (tmp_path / "tests.py").write_text("def test_f():\n    assert f() == 1\n")
    done = RUN.invoke(app, ["solve", "--task", str(tmp_path / "task.md"), "--tests", str(tmp_path / "tests.py")])
    assert done.exit_code == 3
    assert "needs a model" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["setup"], "Where webhooks go is not known"),
        (["setup", "--url", "https://a.example", "--smee", "https://b.example"], "Where webhooks go is not known"),
        (["smee"], "No channel is set"),
        (["deliveries", "show", "d-1"], "No delivery begins with"),
        (["deliveries", "replay", "d-1"], "The App's id is missing"),
    ],
)
def test_the_commands_about_the_app_say_what_they_need(arguments: list[str], said: str) -> None:
    done = RUN.invoke(app, [*arguments, "--json"])
    assert done.exit_code == 3
    assert said in json.loads(done.stdout)["error"]["cause"]


def test_without_a_delivery_the_list_says_so() -> None:
    assert RUN.invoke(app, ["deliveries", "list"]).stdout == "Nothing arrived yet.\n"
    assert json.loads(RUN.invoke(app, ["deliveries", "list", "--json"]).stdout) == {"deliveries": []}


@pytest.mark.parametrize(("command", "missing"), [("serve", "webhook secret"), ("worker", "App's id")])
def test_nothing_starts_without_what_it_needs(command: str, missing: str) -> None:
    done = RUN.invoke(app, [command])
    assert done.exit_code == 3
    assert missing in done.stderr
    assert "`regreen setup " in done.stderr
