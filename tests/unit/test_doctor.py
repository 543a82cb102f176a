"""`regreen doctor` says what is broken, what is missing and what helps, whatever else is wrong."""

import json
from pathlib import Path

import pytest
from fakes import FakeClock
from fakes_selfcheck import ScriptedContainers
from pydantic import SecretStr
from rich.console import Console

from bot.adapters.containment import Containment
from bot.commands.checks import Report, State
from bot.commands.doctor import examine
from bot.settings import Settings
from sandbox.containers.engine import EngineFacts
from sandbox.errors import EngineUnavailableError
from sandbox.selfchecks.probes import QUESTIONS

SECRETS = (SecretStr("0123456789abcdef"),)


class GoneEngine(ScriptedContainers):
    def ping(self) -> EngineFacts:
        raise EngineUnavailableError("The container engine does not answer", "Start Docker.")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", sandbox_base_image="image:1", ca_bundle=None)


def report(
    settings: Settings, engine: ScriptedContainers | None = None, runtime: str | None = None, *, offline: bool = True
) -> Report:
    containers, record = engine or ScriptedContainers(), settings.data_dir / "limits.json"
    return examine(settings, Containment(containers, "image:1", runtime, record, FakeClock()), offline=offline)


def broken(found: Report) -> list[str]:
    return [check.topic for check in found.checks if check.state is State.BROKEN]


def test_where_server_and_worker_cannot_start_all_is_not_well_and_the_command_is_named(settings: Settings) -> None:
    found = report(settings, offline=False)
    assert broken(found) == ["GitHub App"]
    (check,) = (check for check in found.checks if check.state is State.BROKEN)
    assert "server and worker cannot start" in check.seen
    assert "`regreen setup " in check.remedy
    assert "--offline" in check.remedy


def test_a_variable_that_is_no_setting_is_broken(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_MAX_MINUETS", "5")
    found = report(settings)
    assert broken(found) == ["no such setting"]
    assert any("REGREEN_MAX_MINUTES" in check.remedy for check in found.checks)


def test_all_is_well_offline_without_a_github_app_which_is_said(settings: Settings) -> None:
    found = report(settings)
    assert found.good
    topics = [check.topic for check in found.checks]
    assert [f"limit: {question.name}" for question in QUESTIONS] == [name for name in topics if "limit" in name]
    assert next(check.seen for check in found.checks if check.topic == "GitHub App").startswith("not set")


def test_a_limit_that_does_not_hold_is_broken_and_what_helps_is_shown(settings: Settings) -> None:
    found = report(settings, ScriptedContainers({"network": {"interfaces": ["lo", "eth0"]}}))
    assert not found.good
    assert broken(found) == ["limit: network"]
    (check,) = (check for check in found.checks if check.state is State.BROKEN)
    assert "eth0" in check.seen
    assert "--network=none" in check.remedy


def test_without_an_engine_the_rest_is_looked_at_all_the_same(settings: Settings) -> None:
    found = report(settings, GoneEngine())
    assert broken(found) == ["limits"]
    assert "data directory" in [check.topic for check in found.checks]


def test_an_unknown_runtime_and_a_missing_image_are_named(settings: Settings) -> None:
    assert broken(report(settings, runtime="kata")) == ["runtime", "limits"]
    engine = ScriptedContainers()
    engine.images = {}
    assert broken(report(settings, engine)) == ["base image", "limits"]


def test_an_image_that_the_operator_named_for_a_repository_may_come_later(settings: Settings) -> None:
    found = report(settings.model_copy(update={"sandbox_base_images": {"acme/*": "image:9"}}))
    assert found.good
    assert next(check.seen for check in found.checks if check.state is State.OPEN) == "image:9 is not here"


def test_a_data_directory_that_cannot_be_made_is_broken(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    assert broken(report(settings)) == ["data directory"]


def test_half_an_app_is_broken_and_a_whole_one_is_not(settings: Settings, tmp_path: Path) -> None:
    key = tmp_path / "app.pem"
    key.write_text("key")
    key.chmod(0o644)
    app = settings.model_copy(update={"app_id": 7, "private_key_file": key})
    found = report(app)
    assert broken(found) == ["App and key", "webhook secrets"]
    assert "`regreen setup " in next(check.remedy for check in found.checks if check.topic == "webhook secrets")
    key.chmod(0o600)
    assert broken(report(app)) == ["webhook secrets"]
    found = report(app.model_copy(update={"webhook_secrets": SECRETS}))
    assert found.good
    assert SECRETS[0].get_secret_value() not in json.dumps(found.as_json())


def test_roles_with_a_model_of_their_own_are_named_and_need_a_main_one(settings: Settings) -> None:
    topic, url = "roles with a model of their own", "http://me:canary-password@models.example/v1"
    alone = settings.model_copy(update={"model_critic": "c", "openai_base_url_tester": url})
    assert topic in broken(report(alone))
    found = report(alone.model_copy(update={"model": "m"}))
    seen = {check.topic: check.seen for check in found.checks}
    assert seen[topic] == "tester: the first of its own server, critic: c"
    assert "canary-password" not in json.dumps(found.as_json())
    assert topic not in {check.topic for check in report(settings).checks}


def test_a_bundle_that_is_none_is_broken(settings: Settings, tmp_path: Path) -> None:
    for name, content in (("missing.pem", None), ("empty.pem", "nothing")):
        path = tmp_path / name
        if content:
            path.write_text(content)
        assert broken(report(settings.model_copy(update={"ca_bundle": path}))) == ["CA bundle"]


def test_nothing_that_is_shown_steers_the_terminal(settings: Settings) -> None:
    found = report(settings, ScriptedContainers({"network": {"interfaces": ["lo", "\x1b[2J[red]\u202eeth0\x07"]}}))
    console = Console(width=200, force_terminal=False)
    with console.capture() as shown:
        console.print(found.table())
    text = shown.get()
    assert "[red]eth0" in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
