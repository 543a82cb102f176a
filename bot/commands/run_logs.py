"""`regreen logs`: a run's log, as it is or while it grows."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.commands import Shown
from bot.commands.runs import find
from bot.errors import StoreError
from bot.pipeline.logs.runlog import Entry
from bot.pipeline.logs.witness import CALLED
from bot.pipeline.ports.reading import Reader, RunRow
from bot.pipeline.reading.told import Teller, rest

LOOK_SECONDS = 0.5
PATIENT_LOOKS = 120
"""How often in a row the store may not answer, such as while Postgres is started again, before that is an error."""


def kept(reader: Reader, beginning: str, *, calls: bool = False) -> Shown:
    """All of a log so far; of its lines those of `calls` only where asked for. Raises as `find` does, `LogError`."""
    found = find(reader, beginning)
    entries = reader.entries(found.identity, -1)
    telling = Lines(calls)
    lines = [text for entry in entries for text in telling.of(entry)]
    document = {"run": found.identity, "state": found.shown, "entries": [plain(entry) for entry in entries]}
    return Shown(good=True, document=document, lines=lines if entries else [_nothing(found)])


def followed(
    reader: Reader, beginning: str, say: Callable[[str], None], pause: Callable[[float], None] = time.sleep
) -> Iterator[Entry]:
    """What a log holds, and what comes, until the run has ended. Raises as `find` does, `LogError`.

    `say` gets a line where there is something to wait for.
    """
    found = find(reader, beginning)
    last, waiting, ended = -1, False, False
    while not ended:
        # first whether it has ended: what is in its log by then is all
        ended, entries = _look(reader, found.identity, last, pause)
        for entry in entries:
            yield entry
            last = entry.number
        if last < 0 and not ended and not waiting:
            say(_nothing(found))
            waiting = True
        if not ended:
            pause(LOOK_SECONDS)


def _look(reader: Reader, identity: str, last: int, pause: Callable[[float], None]) -> tuple[bool, tuple[Entry, ...]]:
    failures = 0
    while True:
        try:
            found = reader.run(identity)
            return found is None or found.ended_at is not None, reader.entries(identity, last)
        except StoreError:
            failures += 1
            if failures > PATIENT_LOOKS:
                raise
            pause(LOOK_SECONDS)


def _nothing(found: RunRow) -> str:
    if found.ended_at is None:
        return "It waits for its turn …"
    if found.started_at is None:
        return f"There is no log of it: it ended before it began, {found.state}."
    return f"There is no log of it any more: it ended {found.state}."


@dataclass(slots=True)
class Lines:
    """Tells one log line by line, with `calls` also what a clock, a model or the sandbox answered, for a replay."""

    calls: bool = False
    _teller: Teller = field(default_factory=Teller)

    def of(self, entry: Entry) -> list[str]:
        """An entry's lines, each with its time in UTC."""
        if entry.event == CALLED and not self.calls:
            return []
        at = f"{datetime.fromtimestamp(entry.at, UTC):%H:%M:%S}"
        told = self._teller.tell(entry.event, entry.fields) or (rest(entry.event, entry.fields),)
        return [f"{at}  {one.text}" for one in told]


def plain(entry: Entry) -> dict[str, Any]:
    """An entry as plain values, without what only a replay needs."""
    return {"number": entry.number, "at": entry.at, "event": entry.event, "fields": dict(entry.fields)}


def document(entry: Entry) -> str:
    """An entry as one line of JSON, whose letters are ASCII."""
    return json.dumps(plain(entry), separators=(",", ":"))
