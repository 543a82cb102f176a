"""What reads runs and their logs, for pages and commands."""

import sqlalchemy as sa

from bot import log
from bot.adapters.reading import StoredReader
from bot.settings import Settings
from bot.wiring import storage


def build_reader(settings: Settings, database: sa.Engine) -> StoredReader:
    """Reads the database and the run logs, wherever these are."""
    return StoredReader(database, storage.logs(settings, database), log.redactor(settings.secrets))
