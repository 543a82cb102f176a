from pathlib import Path

import pytest
import sqlalchemy as sa
from postgres_server import free_port

from bot import log, wiring
from bot.adapters.store import connect, migrate
from bot.errors import ConfigurationError, StoreError
from bot.settings import Settings, load

PASSWORD = "hunter2-hunter2/x"
ADDRESS = "postgresql://regreen:hunter2-hunter2%2Fx@db.example:5432/regreen"


def settings(url: str) -> Settings:
    return Settings(database_url=url)  # type: ignore[arg-type]  # as the environment gives it


def test_without_an_address_the_database_is_sqlite_in_the_data_directory(tmp_path: Path) -> None:
    found = Settings(data_dir=tmp_path)
    assert not found.on_postgres
    assert wiring.database_url(found) == f"sqlite:///{tmp_path}/regreen.sqlite"
    assert found.storage_secrets == ()


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_whatever_the_address_begins_with_psycopg_speaks_to_postgres(scheme: str) -> None:
    found = settings(f"{scheme}://regreen:hunter2-hunter2%2Fx@db.example:5432/regreen?sslmode=require")
    where = sa.make_url(wiring.database_url(found))
    assert found.on_postgres
    assert (where.drivername, where.host, where.port, where.database) == (
        "postgresql+psycopg",
        "db.example",
        5432,
        "regreen",
    )
    assert (where.password, where.query) == (PASSWORD, {"sslmode": "require"})


def test_a_socket_may_be_named_in_place_of_a_host() -> None:
    where = sa.make_url(wiring.database_url(settings("postgresql:///regreen?host=/run/postgresql")))
    assert (where.host, where.database, where.query["host"]) == (None, "regreen", "/run/postgresql")


@pytest.mark.parametrize(
    "wrong",
    [
        "mysql://u:hunter2@h/d",
        "postgresql:hunter2",
        "postgresql://u:hunter2@h",
        "postgresql://u:hunter2@h:port/d",
        "postgresql://u:hun@ter2@h/d",
        "postgresql://u:hun/ter2@h/d",
        "postgresql://u:hun?ter2@h/d",
        "postgresql://u:hun#ter2@h/d",
        "postgresql://u:hun ter2@h/d",
        "postgresql://h\n/d",
    ],
)
def test_an_address_that_could_be_misread_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("REGREEN_DATABASE_URL", wrong)
    with pytest.raises(ConfigurationError, match="REGREEN_DATABASE_URL: it is an address") as caught:
        load()
    assert "hunter2" not in str(caught.value)
    assert "ter2" not in str(caught.value)


def test_the_password_is_neither_in_the_settings_own_text_nor_in_logs() -> None:
    found = settings(f"{ADDRESS}?sslpassword=another-secret-value")
    redact = log.redactor(found.secrets)
    assert "hunter2" not in repr(found)
    assert "hunter2" not in found.model_dump_json()
    for text in (ADDRESS, f"password={PASSWORD}", "hunter2-hunter2%2Fx", "another-secret-value"):
        assert "hunter2" not in redact(text)
        assert "another-secret" not in redact(text)


def test_a_database_that_does_not_answer_is_told_of_without_its_password() -> None:
    url = f"postgresql+psycopg://regreen:hunter2-hunter2%2Fx@127.0.0.1:{free_port()}/regreen"
    with pytest.raises(StoreError) as caught:
        migrate(url)
    assert "connection" in caught.value.cause
    assert "hunter2" not in str(caught.value)
    engine = connect(url)
    assert "hunter2" not in repr(engine)
    engine.dispose()
