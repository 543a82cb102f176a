"""What operators' commands act through: the runs to read, the wishes to ask, the workers to see."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.adapters.reading import StoredReader
from bot.adapters.store import SqlWishes, connect
from bot.adapters.store.fleet import SqlFleet
from bot.engine.lock import holder
from bot.pipeline.ports.fleet import Worker
from bot.settings import Settings
from bot.wiring import storage
from bot.wiring.reading import build_reader


@dataclass(frozen=True, slots=True)
class Desk:
    """`fleet` is who shares a Postgres, `None` on SQLite, where `alone` is the process of the one worker, if it runs.

    `site` is where people reach the pages.
    """

    reader: StoredReader
    wishes: SqlWishes
    fleet: Callable[[], tuple[Worker, ...]] | None
    alone: Callable[[], int | None]
    site: str


@contextmanager
def desk(settings: Settings) -> Iterator[Desk]:
    """Over a database that is there and of this version. Raises `StoreError`."""
    database = connect(storage.current_url(settings))
    try:
        yield Desk(
            build_reader(settings, database),
            SqlWishes(database),
            SqlFleet(database).workers if settings.on_postgres else None,
            lambda: holder(settings.data_dir / "worker.lock"),
            settings.public_url or f"http://{settings.host}:{settings.port}",
        )
    finally:
        database.dispose()
