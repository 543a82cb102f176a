"""`regreen migrate`: the database brought to the schema that this version works with, or to another."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from bot import wiring
from bot.adapters import store
from bot.commands import Shown
from bot.engine.lock import locked
from bot.errors import ConfigurationError
from bot.settings import Settings


def migrate(settings: Settings, to: str, *, lose: bool = False) -> Shown:
    """Bring the schema up to date, or to the version `to`. Raises `StoreError`, `NoRoomError`.

    Back it goes only where no worker lives, and where what the newer schema keeps may be lost. Raises
    `ConfigurationError` beside a worker.
    """
    url = wiring.database_url(settings)
    found = store.schema(url)
    target = to or found.known[-1]
    if target < found.found:
        with _no_worker(settings, url):
            before = store.migrate_to(url, target, lose=lose)
    else:
        before = store.migrate_to(url, target)
    document = {"was": before.found, "is": target, "where": _where(settings)}
    if before.found == target:
        return Shown(good=True, document=document, lines=[f"The schema is {target} already."])
    came = f"from {before.found}" if before.found else "anew"
    return Shown(good=True, document=document, lines=[f"The schema is {target} now, made {came}."])


def check(settings: Settings) -> Shown:
    """Say which schema there is, and change nothing; not good when it is not this version's. Raises `StoreError`."""
    found = store.schema(wiring.database_url(settings))
    document = {
        "is": found.found,
        "needs": found.known[-1],
        "missing": list(found.missing),
        "newer": found.newer,
        "where": _where(settings),
    }
    if found.newer:
        line = f"The schema is {found.found}, of a newer Regreen; this one knows up to {found.known[-1]}."
    elif found.current:
        line = f"The schema is {found.found}, as it should be."
    else:
        line = f"The schema is {found.found or 'not there'}; still to come: {', '.join(found.missing)}."
    return Shown(good=found.current, document=document, lines=[line])


@contextmanager
def _no_worker(settings: Settings, url: str) -> Iterator[None]:
    """On SQLite none starts meanwhile either; on Postgres one that does is refused the tables that it needs."""
    if not settings.on_postgres:
        with locked(settings.data_dir / "worker.lock"):
            yield
        return
    with closing(store.SqlFleet(store.connect(url))) as fleet:
        alive = [one.member.executor for one in fleet.workers() if not one.lapsed] if fleet.exists() else []
    if alive:
        raise ConfigurationError(
            f"The database is that of {len(alive)} living workers, such as {alive[0]}",
            "Stop all of them first; `regreen workers` lists them.",
        )
    yield


def _where(settings: Settings) -> str:
    return "postgres" if settings.on_postgres else "sqlite"
