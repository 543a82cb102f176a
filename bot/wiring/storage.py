"""Where things are kept: in files of this machine, or, with Postgres, where every machine reaches them."""

import time

import sqlalchemy as sa

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.logs import FileLogs, LogStore
from bot.adapters.reviews import FileReviews
from bot.adapters.store import SqlArtifacts, SqlLogs, SqlReviews, require_known, schema
from bot.adapters.store.old import SqlOld
from bot.adapters.store.patience import patient
from bot.engine import database as engine_database
from bot.engine.ended import DurableJobs
from bot.errors import StoreError
from bot.pipeline.keeping import KeepFor, Keeping
from bot.pipeline.logs.recording import Artifacts
from bot.pipeline.ports.job import Reviews
from bot.settings import Settings
from bot.wiring import database_url

__all__ = ["artifacts", "current_url", "keeping", "logs", "patient", "reviews"]


def artifacts(settings: Settings, database: sa.Engine) -> Artifacts:
    """Large results of steps."""
    return patient(SqlArtifacts(database)) if settings.on_postgres else FileArtifacts(settings.data_dir / "artifacts")


def logs(settings: Settings, database: sa.Engine) -> LogStore:
    """The logs of all runs but those of `regreen fix`, which are files always."""
    return SqlLogs(database) if settings.on_postgres else FileLogs(settings.data_dir / "runs")


def reviews(settings: Settings, database: sa.Engine, subject: str) -> Reviews:
    """The tests that wait for a word on one subject; `subject` tells it from those of other repositories, too."""
    if settings.on_postgres:
        return patient(SqlReviews(database, subject))
    return FileReviews(settings.data_dir / "reviews", subject)


def keeping(settings: Settings, database: sa.Engine) -> Keeping:
    """What removes all of that, and what the tables and the engine hold, once it has had its time."""
    files = FileArtifacts(settings.data_dir / "artifacts")
    file = f"sqlite:///{settings.data_dir.resolve()}/engine.sqlite"
    return Keeping(
        KeepFor(settings.keep_days, settings.keep_body_days),
        SqlOld(database),
        logs(settings, database),
        SqlArtifacts(database) if settings.on_postgres else files,
        # on Postgres the engine's tables are in the same database
        DurableJobs(database if settings.on_postgres else engine_database.connect(file)),
        time.time,
    )


def current_url(settings: Settings) -> str:
    """The address of a database that is there, with this version's schema; changes nothing. Raises `StoreError`."""
    url = database_url(settings)
    file = settings.data_dir.resolve() / "regreen.sqlite"
    if not settings.on_postgres and not file.is_file():
        raise StoreError(
            f"There is no database at {file}",
            "Set REGREEN_DATA_DIR (or REGREEN_DATABASE_URL) as it is for the server and the worker that are meant.",
        )
    found = schema(url)
    require_known(found)
    if not found.found:
        raise StoreError(
            f"The database {'of REGREEN_DATABASE_URL' if settings.on_postgres else file} holds nothing of Regreen's",
            "Check that the server and the worker use the same; `regreen migrate` prepares a new one.",
        )
    if not found.current:
        raise StoreError(
            f"The database has schema {found.found}, of an older Regreen; this one works with {found.known[-1]}",
            "Bring it up to date: `regreen migrate`, or start `regreen serve` or `regreen worker` of this version.",
        )
    return url
