from pathlib import Path

import pytest

from bot import settings
from bot.errors import ConfigurationError
from bot.settings import Settings, load
from sandbox.environments import toolchains


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "REGREEN_PORT", "REGREEN_WEBHOOK_SECRETS", "REGREEN_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_a_wrong_setting_is_named_by_its_variable_and_its_value_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_WEBHOOK_SECRETS", "hunter2")
    monkeypatch.setenv("REGREEN_PORT", "seventy")
    with pytest.raises(ConfigurationError) as caught:
        load()
    assert "REGREEN_PORT: " in caught.value.cause
    assert "REGREEN_WEBHOOK_SECRETS: a webhook secret needs at least 16 characters" in caught.value.cause
    assert "hunter2" not in str(caught.value)
    assert "seventy" not in str(caught.value)


def test_lists_are_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_PRIVATE_HOSTS", "a.example, b.example,")
    assert load().private_hosts == ("a.example", "b.example")


def test_trusted_proxies_are_addresses_and_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_TRUSTED_PROXIES", "10.0.0.5, fd00::/8")
    assert list(map(str, Settings().trusted_proxies)) == ["10.0.0.5/32", "fd00::/8"]


@pytest.mark.parametrize("wrong", ["proxy.example", "10.0.0.5/8", "10.0.0.5:80", "*", "0.0.0.0/0", "10.0.0.5,::/0"])
def test_what_names_no_proxy_or_everybody_is_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("REGREEN_TRUSTED_PROXIES", wrong)
    with pytest.raises(ConfigurationError, match="REGREEN_TRUSTED_PROXIES"):
        load()


def test_data_lies_with_the_user_and_not_in_the_directory_that_a_command_runs_in() -> None:
    assert load().data_dir == Path.home() / ".local" / "state" / "regreen"


@pytest.mark.parametrize(
    ("variable", "wanted"), [("OPENAI_API_KEY", True), ("OPENAI_BASE_URL", True), ("REGREEN_MODEL", True), ("", False)]
)
def test_a_model_is_wanted_as_soon_as_one_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, *, wanted: bool
) -> None:
    if variable:
        monkeypatch.setenv(variable, "x" * 20)
    assert load().wants_model is wanted


def test_secrets_are_not_shown_by_the_settings_themselves() -> None:
    assert "s3cret" not in repr(Settings(openai_api_key="s3cret-s3cret-s3cret"))  # type: ignore[arg-type]  # as the environment gives it


def test_base_images_are_named_by_repository_or_toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_SANDBOX_BASE_IMAGES", '{"acme/api": "acme:1", "acme/*": "acme:2", "node": "node:1"}')
    assert load().base_images == {
        "python": "regreen-base:bookworm",
        "acme/api": "acme:1",
        "acme/*": "acme:2",
        "node": "node:1",
    }


@pytest.mark.parametrize("images", ['{"rust": "rust:1"}', '{"acme/": "acme:1"}', '{"node": ""}', '["node"]', "node"])
def test_a_base_image_that_nothing_would_use_is_refused(monkeypatch: pytest.MonkeyPatch, images: str) -> None:
    monkeypatch.setenv("REGREEN_SANDBOX_BASE_IMAGES", images)
    with pytest.raises(ConfigurationError, match="SANDBOX_BASE_IMAGES"):
        load()


@pytest.mark.parametrize("host", ["https://a.example", "a.example/b", "a b", "a.example:port"])
def test_a_host_that_is_no_name_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("REGREEN_ALLOWED_HOSTS", f"b.example,{host}")
    with pytest.raises(ConfigurationError, match="REGREEN_ALLOWED_HOSTS: a host is a name"):
        load()


def test_the_toolchains_of_the_settings_are_those_of_the_sandbox() -> None:
    assert tuple(toolchains.TOOLCHAINS) == settings.TOOLCHAINS


APP = "REGREEN_APP_ID=77\nREGREEN_WEBHOOK_SECRETS=0123456789abcdef\n"


def test_what_set_up_stored_is_read_from_the_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path))
    (tmp_path / "app.env").write_text(APP)
    (tmp_path / "app.env").chmod(0o600)
    assert load().app_id == 77
    monkeypatch.setenv("REGREEN_APP_ID", "78")
    assert load().app_id == 78
    assert len(load().webhook_secrets) == 1


def test_a_stored_file_that_others_may_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path))
    (tmp_path / "app.env").write_text(APP)
    (tmp_path / "app.env").chmod(0o640)
    with pytest.raises(ConfigurationError, match="Others may read"):
        load()


@pytest.mark.parametrize("variable", ["REGREEN_SECRETS_DIR", "CREDENTIALS_DIRECTORY"])
def test_a_secret_may_be_a_file_and_a_variable_wins_over_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    (tmp_path / "REGREEN_WEBHOOK_SECRETS").write_text("sixteen-letters-or-more,the-one-before-that\n")
    (tmp_path / "openai_api_key").write_text("sk-of-a-file\n")
    (tmp_path / "regreen_operator_token").write_text("a-token-of-a-file-that-loses")
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("REGREEN_OPERATOR_TOKEN", "a-token-of-the-environment")
    found = load()
    said = [one.get_secret_value() for one in found.secrets]
    assert said[:3] == ["sixteen-letters-or-more", "the-one-before-that", "sk-of-a-file"]
    assert found.operator_token.get_secret_value() == "a-token-of-the-environment"


def test_secrets_that_cannot_be_read_are_named_and_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGREEN_SECRETS_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match="REGREEN_SECRETS_DIR names no directory"):
        load()
    monkeypatch.setenv("REGREEN_SECRETS_DIR", str(tmp_path))
    (tmp_path / "regreen_operator_token").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigurationError, match="REGREEN_OPERATOR_TOKEN: its file cannot be read"):
        load()


@pytest.mark.parametrize(
    ("web", "api"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://acme.ghe.com/", "https://api.acme.ghe.com"),
        ("https://github.acme.example", "https://github.acme.example/api/v3"),
    ],
)
def test_the_rest_address_follows_from_the_web_address(monkeypatch: pytest.MonkeyPatch, web: str, api: str) -> None:
    monkeypatch.delenv("REGREEN_GITHUB_API_URL", raising=False)
    monkeypatch.setenv("REGREEN_GITHUB_URL", web)
    assert load().github_api_url == api
    monkeypatch.setenv("REGREEN_GITHUB_API_URL", "")
    assert load().github_api_url == api
    monkeypatch.setenv("REGREEN_GITHUB_API_URL", "http://127.0.0.1:1/api")
    assert load().github_api_url == "http://127.0.0.1:1/api"


@pytest.mark.parametrize(
    "address", ["github.acme.example", "ftp://a.example", "https://u:p@a.example", "https://a/?q=1"]
)
def test_an_address_that_is_none_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("REGREEN_GITHUB_URL", address)
    with pytest.raises(ConfigurationError, match="REGREEN_GITHUB_URL: it is an address") as caught:
        load()
    assert address not in str(caught.value)


def test_a_wrong_address_is_no_fault_of_the_setting_that_follows_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGREEN_GITHUB_API_URL", raising=False)
    monkeypatch.setenv("REGREEN_GITHUB_URL", "foo")
    with pytest.raises(ConfigurationError, match="REGREEN_GITHUB_URL") as caught:
        load()
    assert "REGREEN_GITHUB_API_URL" not in str(caught.value)
