"""The schema of a database: which version it has, and how it gets to another. A version is a module of migrations."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from bot.adapters.store.database import connect, translated
from bot.errors import StoreError

MIGRATIONS = Path(__file__).parents[1] / "migrations"
LOCK = 0x52656772656E
"""Postgres's advisory lock that migrations take one after the other."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema's version in the database, empty for none, and those that this Regreen knows, oldest first."""

    found: str
    known: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether it is what this Regreen works with."""
        return self.found == self.known[-1]

    @property
    def newer(self) -> bool:
        """Whether another Regreen made it, a later one: this one would misread it."""
        return bool(self.found) and self.found not in self.known

    @property
    def missing(self) -> tuple[str, ...]:
        """The versions that are still to come, oldest first."""
        return () if self.newer else tuple(version for version in self.known if version > self.found)


def schema(url: str) -> Schema:
    """What there is: changes nothing, and makes no file. Raises `StoreError`."""
    where = sa.make_url(url)
    if where.get_backend_name() == "sqlite" and not Path(where.database or "").exists():
        return Schema("", _known())
    engine = connect(url)
    try:
        with translated(), engine.connect() as connection:
            return _schema(connection)
    finally:
        engine.dispose()


def migrate(url: str) -> None:
    """Bring the schema up to date; several processes may do this at once. Never goes back.

    Raises `StoreError`, also for a database that a newer Regreen made, `NoRoomError`.
    """
    _migrate(url, _known()[-1])


def migrate_to(url: str, version: str, *, lose: bool = False) -> Schema:
    """Bring the schema up, or back, to a version, and return what there was.

    Going back loses what only the newer one keeps: it is named, and nothing done, unless `lose` says that it may go.
    Nothing else may use the database meanwhile. Raises as `migrate` does, and for a version that is not known.
    """
    if version not in _known():
        raise StoreError(f"There is no schema {version!r}", f"Name one of {', '.join(_known())}.")
    return _migrate(url, version, _lose if lose else _refuse)


def require_known(found: Schema) -> None:
    """Raises `StoreError` for a database of a newer Regreen."""
    if found.newer:
        known = found.known[-1]
        raise StoreError(
            f"The database has schema {found.found}, of a newer Regreen; this one knows up to {known}",
            f"Install that version again, or go back with it: regreen migrate --to {known}",
        )


def _migrate(url: str, version: str, back: Callable[[sa.Connection, Config, str], None] | None = None) -> Schema:
    engine = connect(url)
    if engine.dialect.name == "sqlite":
        # Taking the write lock first makes check and change one, also for tables, which sqlite3 does not by itself.
        sa.event.listen(engine, "connect", _leave_transactions_alone)
        sa.event.listen(engine, "begin", _begin_immediate)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    try:
        with translated(), engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
            found = _schema(connection)
            require_known(found)
            config.attributes["connection"] = connection
            if version >= found.found:
                command.upgrade(config, version)
            elif back is not None:
                back(connection, config, version)
    finally:
        engine.dispose()
    return found


def _lose(_connection: sa.Connection, config: Config, version: str) -> None:
    command.downgrade(config, version)


def _refuse(connection: sa.Connection, config: Config, version: str) -> None:
    """Go back and see what is gone; the error takes the transaction back, and with it what was done."""
    before = _columns(connection)
    rows = {
        name: connection.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar() for name in before
    }
    command.downgrade(config, version)
    after = _columns(connection)
    tables = [f"{name} ({rows[name]} rows)" for name in sorted(before.keys() - after.keys())]
    columns = [f"{name}.{one}" for name in sorted(after) for one in sorted(before.get(name, set()) - after[name])]
    raise StoreError(
        f"Going back to schema {version} drops {', '.join([*tables, *columns]) or 'nothing but indices'}",
        f"Stop everything, make a backup, and say that this may go: regreen migrate --to {version} --lose-data",
    )


def _columns(connection: sa.Connection) -> dict[str, set[str]]:
    inspector = sa.inspect(connection)
    return {name: {column["name"] for column in inspector.get_columns(name)} for name in inspector.get_table_names()}


def _schema(connection: sa.Connection) -> Schema:
    heads = MigrationContext.configure(connection).get_current_heads()
    return Schema(max(heads, default=""), _known())


def _known() -> tuple[str, ...]:
    """The versions, each named by a number of four digits: their names sort as they follow each other."""
    return tuple(sorted(script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()))


def _leave_transactions_alone(connection: Any, _record: object) -> None:
    connection.isolation_level = None


def _begin_immediate(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
