"""The run log as lines: one JSON document an event, each with the hash of the line before it.

Pure; `bot.adapters.journal` writes and reads the file. A line may carry a payload, one value whole, compressed.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from bot.codec import digest
from bot.errors import LogError
from bot.repair.ports import Json

MAX_TEXT = 20_000
MAX_ITEMS = 500
MAX_DEPTH = 8
MAX_PAYLOAD = 256 << 20
"""Bytes of a payload: what a log says may have been made to fill the memory, and so may what goes into it."""
FIRST = "0" * 64
_CHANGED = "The log was changed after it was made."
_KEYS = frozenset({"number", "prev", "at", "event", "fields"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: its number counts from 0, `at` is seconds since the epoch; `digest` is what the next line names."""

    number: int
    at: float
    event: str
    fields: Json
    payload: bytes = b""
    digest: str = ""


def line(entry: Entry, head: str) -> bytes:
    """An entry as a line that follows the one whose digest is `head`; its fields are bounded already.

    Raises `LogError` for a payload above `MAX_PAYLOAD`.
    """
    content: dict[str, object] = {
        "number": entry.number,
        "prev": head,
        "at": entry.at,
        "event": entry.event,
        "fields": entry.fields,
    }
    if len(entry.payload) > MAX_PAYLOAD:
        raise LogError(
            f"A result of {len(entry.payload) >> 20} MiB is too large for the run log",
            "Find the test that prints without end, or that has a very long message.",
        )
    if entry.payload:
        content["payload"] = base64.b64encode(zlib.compress(entry.payload)).decode("ascii")
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def verified(lines: Sequence[bytes], name: str) -> Iterator[Entry]:
    """The entries of whole lines. Raises `LogError` at the first that does not follow from the one before it."""
    if lines and not _made_here(lines[0]):
        raise LogError(
            f"{name} is no run log: its first line is none of Regreen's",
            "Name the log.jsonl of a run, below runs/ in the data directory; if it is one, its first line was changed.",
        )
    head = FIRST
    for number, data in enumerate(lines):
        entry = following(data, number, head, name)
        head = entry.digest
        yield entry


def following(data: bytes, number: int, head: str, name: str) -> Entry:
    """A line's entry. Raises `LogError` unless it has this number and follows the line whose digest is `head`."""
    try:
        entry, previous = _entry(data)
        sound = entry.number == number and previous == head
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error):
        sound = False
    if not sound:
        raise LogError(f"Line {number + 1} of {name} does not verify", _CHANGED)
    return entry


def _made_here(data: bytes) -> bool:
    """Whether a line has the form of an entry, be it changed or not."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.keys() >= _KEYS


def payload_of(data: bytes) -> bytes:
    """The payload of one line. Raises `ValueError`."""
    try:
        return _unpacked(json.loads(data).get("payload", ""))
    except (AttributeError, TypeError, zlib.error) as error:
        raise ValueError(str(error)) from None


def _entry(data: bytes) -> tuple[Entry, str]:
    content = json.loads(data)
    if not isinstance(content, dict):
        raise TypeError
    payload = _unpacked(content.get("payload", ""))
    number, at, event, fields = content["number"], float(content["at"]), content["event"], content["fields"]
    if not isinstance(event, str) or not isinstance(fields, dict):
        raise TypeError
    return Entry(number, at, event, fields, payload, digest(data)), content["prev"]


def _unpacked(payload: str) -> bytes:
    if not payload:
        return b""
    try:
        packed = base64.b64decode(payload, validate=True)
    except binascii.Error:
        raise ValueError from None
    inflate = zlib.decompressobj()
    data = inflate.decompress(packed, MAX_PAYLOAD)
    if not inflate.eof:
        raise ValueError
    return data


def bounded(fields: Json, redact: Callable[[str], str]) -> Json:
    """Fields as a line holds them: plain values, redacted first, then cut: half a secret would not be recognised."""
    plain = to_jsonable_python(dict(fields), bytes_mode="base64", serialize_unknown=True)
    kept: Json = _bounded(plain, redact, 0)
    return kept


def _bounded(value: Any, redact: Callable[[str], str], depth: int) -> Any:
    if isinstance(value, str):
        text = redact(value)
        return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… ({len(text) - MAX_TEXT} characters cut)"
    if depth >= MAX_DEPTH and isinstance(value, dict | list):
        return "…"
    if isinstance(value, dict):
        items = list(value.items())[:MAX_ITEMS]
        return {redact(str(key))[:200]: _bounded(item, redact, depth + 1) for key, item in items}
    if isinstance(value, list):
        kept = [_bounded(item, redact, depth + 1) for item in value[:MAX_ITEMS]]
        return kept if len(value) <= MAX_ITEMS else [*kept, f"… ({len(value) - MAX_ITEMS} items cut)"]
    return value
