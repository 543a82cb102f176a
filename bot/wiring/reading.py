"""What reads runs and their logs, for pages and commands."""

import sqlalchemy as sa

from bot import log
from bot.adapters.reading import StoredReader
from bot.adapters.run_logs import FileRunLogs
from bot.settings import Settings
from bot.wiring.jobs import run_directory


def build_reader(settings: Settings, database: sa.Engine) -> StoredReader:
    """Reads the database and the run logs in the data directory."""
    logs = FileRunLogs(lambda identity: run_directory(settings, identity) / "log.jsonl")
    return StoredReader(database, logs, log.redactor(settings.secrets))
