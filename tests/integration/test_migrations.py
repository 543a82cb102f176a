"""Every migration, up and down, over tables that hold rows, on SQLite and on Postgres."""

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.adapters.store import SqlInbox, connect, metadata, migrate, migrate_to, schema
from bot.errors import StoreError
from bot.events import Delivery

VERSIONS = schema("sqlite:////nowhere/at/all.sqlite").known
Rows = dict[str, list[Mapping[str, Any]]]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    made: str = request.getfixturevalue("postgres") if request.param == "postgres" else ""
    return made or f"sqlite:///{tmp_path / 'regreen.sqlite'}"


@pytest.fixture
def engine(url: str) -> Iterator[sa.Engine]:
    made = connect(url)
    yield made
    made.dispose()


def tables(engine: sa.Engine) -> list[sa.Table]:
    # SQLite's PRAGMAs of an open connection may tell the schema that it read before another one changed it
    engine.dispose()
    found = sa.MetaData()
    found.reflect(engine)
    return [table for table in found.sorted_tables if table.name != "alembic_version"]


def fill(engine: sa.Engine, number: int) -> None:
    """Add a row to each table, told apart from others by its number."""
    found = tables(engine)
    with engine.begin() as connection:
        for table in found:
            connection.execute(sa.insert(table), {column.name: value(column, number) for column in table.columns})


def value(column: sa.Column[Any], number: int) -> object:
    match column.type:
        case sa.LargeBinary():
            return f"{column.name} {number} \xff".encode()
        case sa.Boolean():
            return True
        case sa.Float():
            return number + 0.25
        case sa.Integer():
            return number
        case _:
            return f"{column.name} {number}"


def rows(engine: sa.Engine) -> Rows:
    found = tables(engine)
    with engine.connect() as connection:
        return {
            table.name: [
                row._asdict() for row in connection.execute(sa.select(table).order_by(*table.primary_key.columns))
            ]
            for table in found
        }


def shape(engine: sa.Engine) -> object:
    """Tables with their columns, and whether these may be empty, and indices."""
    found, inspector = tables(engine), sa.inspect(engine)
    return {
        table.name: (
            {column.name: (str(column.type), column.nullable) for column in table.columns},
            sorted((str(index["name"]), index["column_names"]) for index in inspector.get_indexes(table.name)),
        )
        for table in found
    }


def held(before: Rows, after: Rows) -> Iterator[tuple[object, object]]:
    """What both have: each row of a table with the columns that are in both."""
    for name in before.keys() & after.keys():
        columns = before[name][0].keys() & after[name][0].keys()
        for one, other in zip(before[name], after[name], strict=True):
            yield {key: one[key] for key in columns}, {key: other[key] for key in columns}


def test_each_version_keeps_every_row_on_the_way_up_and_on_the_way_back(url: str, engine: sa.Engine) -> None:
    shapes, before = {}, Rows()
    for number, version in enumerate(VERSIONS, 1):
        migrate_to(url, version)
        assert all(one == other for one, other in held(before, rows(engine))), version
        fill(engine, number)
        shapes[version], before = shape(engine), rows(engine)
    for newer, version in pairwise(reversed(VERSIONS)):
        assert migrate_to(url, version, lose=True).found == newer
        after = rows(engine)
        assert all(one == other for one, other in held(before, after)), version
        assert shape(engine) == shapes[version], version
        before = after
    migrate(url)
    assert schema(url).current
    assert shape(engine) == shapes[VERSIONS[-1]]


def test_the_migrations_make_exactly_the_tables_that_the_code_uses(url: str, engine: sa.Engine) -> None:
    migrate(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_several_processes_may_migrate_at_once_and_again(url: str, engine: sa.Engine) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: migrate(url), range(4)))
    migrate(url)
    assert SqlInbox(engine).unready() is None


def test_bodies_that_came_twice_before_the_second_version_count_once(url: str, engine: sa.Engine) -> None:
    migrate_to(url, "0001")
    (table,) = [table for table in tables(engine) if table.name == "deliveries"]
    with engine.begin() as connection:
        for name, body in (("a", b"same"), ("b", b"same"), ("c", b"other")):
            row = {"delivery_id": name, "event": "issues", "body": body, "received_at": 1.0, "not_before": 1.0}
            connection.execute(sa.insert(table), row)
    migrate(url)
    inbox = SqlInbox(engine)
    assert [inbox.accept(Delivery("d", "issues", body)) for body in (b"same", b"other", b"new")] == [False, False, True]
    digests = [row["digest"] for row in rows(engine)["deliveries"]]
    assert digests[:2] == [hashlib.sha256(b"issues\nsame").hexdigest(), None]


def test_who_resumed_is_forgotten_and_who_is_on_hold_is_kept_on_the_way_back_from_the_sixth(
    url: str, engine: sa.Engine
) -> None:
    migrate_to(url, "0006")
    (table,) = [table for table in tables(engine) if table.name == "holds"]
    with engine.begin() as connection:
        for subject, held_now in (("issue-1", True), ("issue-2", False)):
            row = {"repository": "o/r", "subject": subject, "held_by": "ann", "since": 1.0, "held": held_now}
            connection.execute(sa.insert(table), row)
    migrate_to(url, "0005", lose=True)
    assert [row["subject"] for row in rows(engine)["holds"]] == ["issue-1"]


def test_a_database_of_a_newer_version_is_left_alone_and_said_to_be_that(url: str, engine: sa.Engine) -> None:
    migrate(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    before = shape(engine)
    assert (schema(url).newer, schema(url).missing, schema(url).current) == (True, (), False)
    for attempt in (lambda: migrate(url), lambda: migrate_to(url, "0001")):
        with pytest.raises(StoreError, match=f"schema 9999, of a newer Regreen; this one knows up to {VERSIONS[-1]}"):
            attempt()
    assert shape(engine) == before


def test_starting_never_goes_back_and_no_version_is_guessed(url: str, engine: sa.Engine) -> None:
    assert schema(url).missing == VERSIONS
    for unknown in ("0000", "head", "base", "-1", ""):
        with pytest.raises(StoreError, match="There is no schema"):
            migrate_to(url, unknown)
    assert tables(engine) == []


def test_going_back_names_what_would_be_lost_and_does_nothing_until_that_is_said_to_be_right(
    url: str, engine: sa.Engine
) -> None:
    migrate(url)
    fill(engine, 1)
    found, before = shape(engine), rows(engine)
    with pytest.raises(StoreError) as caught:
        migrate_to(url, "0001")
    assert "back to schema 0001 drops " in caught.value.cause
    for named in ("spends (1 rows)", "holds (1 rows)", "wishes (1 rows)", "deliveries.digest", "runs.installation"):
        assert named in caught.value.cause, named
    assert "deliveries.body" not in caught.value.cause
    assert "--lose-data" in caught.value.remedy
    assert (schema(url).current, shape(engine), rows(engine)) == (True, found, before)
    migrate_to(url, "0001", lose=True)
    assert rows(engine).keys() == {"deliveries", "runs"}
