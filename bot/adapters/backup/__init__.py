"""All that is kept, in one file, and back: SQLite with its files, or Postgres."""

from bot.adapters.backup.archive import Manifest, opened, writing
from bot.adapters.backup.files import restore_files, save_files
from bot.adapters.backup.postgres import Client, restore_postgres, save_postgres

__all__ = [
    "Client",
    "Manifest",
    "opened",
    "restore_files",
    "restore_postgres",
    "save_files",
    "save_postgres",
    "writing",
]
