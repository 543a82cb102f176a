"""`regreen migrate`: the database brought to the schema that this version works with, or to another."""

from bot import wiring
from bot.adapters import store
from bot.commands import Shown
from bot.settings import Settings


def migrate(settings: Settings, to: str) -> Shown:
    """Bring the schema up to date, or to the version `to`. Raises `StoreError`, `NoRoomError`."""
    url = wiring.database_url(settings)
    target = to or store.schema(url).known[-1]
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


def _where(settings: Settings) -> str:
    return "postgres" if settings.on_postgres else "sqlite"
