"""A log's lines → entries for a reader: verified, and without what only a replay needs."""

import json
from collections.abc import Iterator, Sequence

from bot.codec import digest
from bot.errors import LogError
from bot.pipeline.logs.runlog import FIRST, Entry, payload_of
from bot.pipeline.logs.witness import CALLED


class ChangedLogError(LogError):
    """A log with a line that does not verify; `sound` are the entries before it."""

    sound: tuple[Entry, ...] = ()


def entries(lines: Sequence[bytes], first: int = 0, after: int = -1) -> tuple[Entry, ...]:
    """The entries behind `after` of lines of which the first has the number `first`.

    Each has to follow from the one before it; what a log's own first line follows from is known, that of another is
    not looked at. Payloads of calls are left out. Raises `ChangedLogError`.
    """
    found: list[Entry] = []
    try:
        found.extend(entry for entry in _read(lines, first) if entry.number > after)
    except ChangedLogError as error:
        error.sound = tuple(found)
        raise
    return tuple(found)


def _read(lines: Sequence[bytes], first: int) -> Iterator[Entry]:
    head = "" if first else FIRST
    for number, data in enumerate(lines, first):
        try:
            entry = _entry(data, number, head)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ChangedLogError(
                f"Line {number + 1} of the run's log does not verify", "The log was changed after it was made."
            ) from None
        head = entry.digest
        yield entry


def _entry(data: bytes, number: int, head: str) -> Entry:
    content = json.loads(data)
    event, fields = str(content["event"]), content["fields"]
    if content["number"] != number or (head and content["prev"] != head) or not isinstance(fields, dict):
        raise ValueError
    payload = b"" if event == CALLED or "payload" not in content else payload_of(data)
    return Entry(number, float(content["at"]), event, fields, payload, digest(data))
