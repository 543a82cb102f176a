"""What commands say of a database that they cannot work with: which one was looked at, and what is wrong with it."""

import re
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.adapters.store import connect, migrate, schema
from bot.errors import StoreError
from bot.settings import Settings
from bot.wiring import database_url
from bot.wiring.storage import current_url


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


def set_version(url: str, version: str) -> None:
    database = connect(url)
    with database.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS alembic_version (version_num TEXT)")
        connection.exec_driver_sql("DELETE FROM alembic_version")
        if version:
            connection.execute(sa.text("INSERT INTO alembic_version VALUES (:version)"), {"version": version})
    database.dispose()


def test_one_that_is_not_there_is_named_with_what_leads_to_the_right_one_and_none_is_made(settings: Settings) -> None:
    with pytest.raises(StoreError, match=re.escape(str(settings.data_dir / "regreen.sqlite"))) as error:
        current_url(settings)
    assert "REGREEN_DATA_DIR" in error.value.remedy
    assert not any(word in error.value.remedy for word in ("serve`", "worker`", "migrate"))
    assert not settings.data_dir.exists()


@pytest.mark.parametrize(
    ("version", "cause", "remedy"),
    [("", "holds nothing", "migrate"), ("0001", "older", "regreen migrate"), ("9999", "newer", "that version again")],
)
def test_one_of_another_version_is_told_from_that(settings: Settings, version: str, cause: str, remedy: str) -> None:
    set_version(database_url(settings), version)
    with pytest.raises(StoreError, match=cause) as error:
        current_url(settings)
    assert remedy in error.value.remedy
    assert schema(database_url(settings)).found == version


def test_one_of_this_version_is_taken(settings: Settings) -> None:
    migrate(database_url(settings))
    assert current_url(settings) == database_url(settings)
