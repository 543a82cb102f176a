"""Where things are kept: in files of this machine, or, with Postgres, where every machine reaches them."""

import time

import sqlalchemy as sa

from bot.adapters.artifacts import FileArtifacts
from bot.adapters.logs import FileLogs, LogStore
from bot.adapters.reviews import FileReviews
from bot.adapters.store import SqlArtifacts, SqlLogs, SqlReviews
from bot.adapters.store.old import SqlOld
from bot.adapters.store.patience import patient
from bot.engine import database as engine_database
from bot.engine.ended import DurableJobs
from bot.pipeline.keeping import KeepFor, Keeping
from bot.pipeline.logs.recording import Artifacts
from bot.pipeline.ports.job import Reviews
from bot.settings import Settings

__all__ = ["artifacts", "keeping", "logs", "patient", "reviews"]


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
    url = settings.postgres_url or f"sqlite:///{settings.data_dir.resolve()}/engine.sqlite"
    return Keeping(
        KeepFor(settings.keep_days, settings.keep_body_days),
        SqlOld(database),
        logs(settings, database),
        SqlArtifacts(database) if settings.on_postgres else files,
        DurableJobs(engine_database.connect(url)),
        time.time,
    )
