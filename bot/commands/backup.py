"""`regreen backup FILE` and `regreen restore FILE`."""

import time
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from bot import wiring
from bot.adapters import backup as backups
from bot.adapters import store
from bot.adapters.backup.archive import POSTGRES, SQLITE
from bot.commands import Shown
from bot.engine.lock import locked
from bot.errors import StoreError
from bot.settings import Settings, libpq_variables


def backup(settings: Settings, path: Path) -> Shown:
    """Save all that is kept into a new file, while everything runs. Raises `StoreError`, `ConfigurationError`."""
    url = wiring.database_url(settings)
    schema = store.schema(url)
    store.require_known(schema)
    if not schema.found:
        raise StoreError("There is nothing to back up: the database has no tables", "Name the one of the worker.")
    manifest = backups.Manifest(_kind(settings), schema.found, metadata.version("regreen"), time.time())
    with backups.writing(path, manifest) as archive:
        if settings.on_postgres:
            count = backups.save_postgres(archive, url, path.absolute().parent, backups.Client(libpq_variables()))
        else:
            count = backups.save_files(archive, settings.data_dir)
    size = path.stat().st_size
    document = {"file": str(path), "kind": manifest.kind, "schema": manifest.schema, "members": count, "bytes": size}
    return Shown(good=True, document=document, lines=[f"{path}: {size} bytes, {count} files, schema {schema.found}."])


def restore(settings: Settings, path: Path) -> Shown:
    """Put a backup where there is nothing. Raises `StoreError`, `ConfigurationError` while a worker runs."""
    with backups.opened(path) as (manifest, archive):
        if manifest.kind != _kind(settings):
            raise StoreError(
                f"The backup is of {manifest.kind}; the settings name {_kind(settings)}",
                "Set REGREEN_DATABASE_URL for a backup of postgres, and unset it for one of sqlite.",
            )
        known = store.schema(wiring.database_url(settings)).known
        store.require_known(store.Schema(manifest.schema, known))
        if settings.on_postgres:
            count = backups.restore_postgres(archive, wiring.database_url(settings), backups.Client(libpq_variables()))
        else:
            settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(settings.data_dir / "worker.lock"):
                count = backups.restore_files(archive, settings.data_dir)
    store.migrate(wiring.database_url(settings))
    made = f"{datetime.fromtimestamp(manifest.at, UTC):%Y-%m-%d %H:%M} UTC"
    document = {"file": str(path), "kind": manifest.kind, "schema": manifest.schema, "made": made, "members": count}
    return Shown(good=True, document=document, lines=[f"Restored what was saved at {made}; start server and worker."])


def _kind(settings: Settings) -> str:
    return POSTGRES if settings.on_postgres else SQLITE
