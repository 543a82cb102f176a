import os
from pathlib import Path

import pytest

from bot.errors import ConfigurationError
from bot.settings import Settings
from bot.wiring import private_key


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "app.pem"
    path.write_text("-----BEGIN RSA PRIVATE KEY-----\n")
    path.chmod(0o600)
    return path


def settings(key: Path | None, app_id: int = 7) -> Settings:
    return Settings(private_key_file=key, app_id=app_id)


def test_a_key_that_only_its_owner_reads_is_taken_and_not_shown(key: Path) -> None:
    secret = private_key(settings(key))
    assert secret.get_secret_value().startswith("-----BEGIN")
    assert "BEGIN" not in repr(secret)


def test_what_is_missing_is_named(key: Path) -> None:
    for wrong, cause in (
        (settings(key, app_id=0), "App's id is missing"),
        (settings(None), "private key is missing"),
        (settings(key.with_name("nothing.pem")), "private key is missing"),
    ):
        with pytest.raises(ConfigurationError, match=cause) as caught:
            private_key(wrong)
        assert "`regreen setup " in caught.value.remedy


def test_a_key_that_others_may_read_is_refused_with_the_command_that_helps(key: Path) -> None:
    key.chmod(0o640)
    with pytest.raises(ConfigurationError, match=f"chmod 600 {key}"):
        private_key(settings(key))


def test_bytes_that_are_no_key_are_an_error_of_ours(key: Path) -> None:
    key.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        private_key(settings(key))


@pytest.mark.skipif(os.getuid() == 0, reason="root reads every file")
def test_a_key_of_somebody_else_is_named(key: Path) -> None:
    key.chmod(0)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        private_key(settings(key))
