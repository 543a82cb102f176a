"""`regreen deliveries` over a real database; GitHub is the stand-in."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from github_worlds import Keys, StandInWorld
from payloads import delivery, labeled

from bot.adapters.store import SqlDepartures, SqlInbox, connect, migrate
from bot.commands.deliveries import decider, listed, replayed, shown
from bot.demo.stand_in import StandIn
from bot.errors import NotFoundError, StoreError
from bot.events import Delivery
from bot.settings import Settings
from bot.triggers import Ignore
from bot.wiring import database_url


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    found = Settings(data_dir=tmp_path / "data")
    migrate(database_url(found))
    return found


@pytest.fixture
def inbox(settings: Settings) -> SqlInbox:
    made = SqlInbox(connect(database_url(settings)))
    made.accept(delivery(labeled(), "issues", "d-100"))
    made.accept(Delivery("d-200", "issues", b'{"action": "pinned", "text": "\\u001b[2J"}'))
    made.decide("d-200", "nothing is done for issues.pinned", None)
    return made


def never(_: Delivery) -> Ignore:
    return Ignore("the issue is closed")


@pytest.mark.usefixtures("inbox")
def test_the_list_says_of_each_what_became_of_it_newest_first(settings: Settings) -> None:
    found = listed(settings, 10)
    assert ["d-200" in found.lines[0], "d-100" in found.lines[1]] == [True, True]
    assert "ignored: nothing is done for issues.pinned" in found.lines[0]
    assert "not decided yet" in found.lines[1]
    assert len(listed(settings, 1).lines) == 1


@pytest.mark.usefixtures("inbox")
def test_one_is_shown_by_how_its_id_begins_and_its_body_as_json(settings: Settings) -> None:
    found = shown(settings, "d-1")
    assert found.document["body"]["action"] == "labeled"
    assert '"action": "labeled"' in found.lines[-1]
    for wrong in ("d-", "x"):
        with pytest.raises(NotFoundError):
            shown(settings, wrong)


def test_a_replay_without_apply_makes_no_database_and_brings_none_up_to_date(tmp_path: Path) -> None:
    fresh = Settings(data_dir=tmp_path / "fresh")
    with pytest.raises(StoreError, match=r"There is no database at .*fresh"):
        replayed(fresh, "d-1", never, apply=False)
    assert not list((tmp_path / "fresh").glob("*"))
    old = connect(database_url(fresh))
    with old.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num TEXT)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('0001')")
    with pytest.raises(StoreError, match="of an older Regreen"):
        replayed(fresh, "d-1", never, apply=False)
    with old.begin() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "0001"
    old.dispose()


def test_a_replay_says_what_would_be_decided_and_does_nothing(settings: Settings, inbox: SqlInbox) -> None:
    found = replayed(settings, "d-200", never, apply=False)
    assert found.document["would"] == "ignored: the issue is closed"
    assert found.document["was"] == "ignored: nothing is done for issues.pinned"
    assert [one.delivery_id for one in inbox.pending(10)] == ["d-100"]


def test_applied_it_waits_for_the_worker_again(settings: Settings, inbox: SqlInbox) -> None:
    replayed(settings, "d-200", never, apply=True)
    assert {one.delivery_id for one in inbox.pending(10)} == {"d-100", "d-200"}


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture(scope="module")
def world(keys: Keys) -> Iterator[StandInWorld]:
    with StandIn(StandInWorld.config(keys)) as running:
        yield StandInWorld(running, keys)


@pytest.mark.parametrize(("level", "would"), [("write", "queued: "), ("read", "ignored: the sender may not write")])
def test_it_decides_as_the_worker_does_with_what_github_says_now(
    world: StandInWorld, keys: Keys, settings: Settings, level: str, would: str
) -> None:
    (settings.data_dir / "app.pem").write_text(keys.private)
    (settings.data_dir / "app.pem").chmod(0o600)
    person = world.state.add_user("mona").login
    world.repository.collaborators[person] = level
    payload = labeled()
    payload["repository"] |= {"full_name": world.full_name, "name": world.full_name.partition("/")[2]}
    payload["installation"] = {"id": world.installation}
    payload["sender"] |= {"login": person}
    payload["issue"] |= {"number": world.open_issue("regreen")}
    SqlInbox(connect(database_url(settings))).accept(Delivery("d-1", "issues", json.dumps(payload).encode()))
    app = {
        "app_id": world.state.app.id,
        "private_key_file": settings.data_dir / "app.pem",
        "github_api_url": world.stand_in.api_url,
    }
    departures = SqlDepartures(connect(database_url(settings)))
    departures.left(world.installation, (), "it was suspended")
    found = replayed(settings, "d-1", decider(settings.model_copy(update=app)), apply=False)
    assert departures.why(world.installation, world.full_name) == "it was suspended"
    assert found.document["would"].startswith(would), found.document
