"""The lines that our reporters write, read as what they are: claims of the workload.

Each function raises `ValueError` (JSON's own, or `ForgeryError`) for a line that no reporter can have written.
"""

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.spec import Frame, Outcome, TestResult

MAX_NODE_ID = 16_384
MAX_TEXT = 8192
MAX_FRAMES = 16
"""Of one result, as the reporters have it."""

MAX_BYTES = 8 << 20
MAX_LINE = 1 << 17
MAX_RECORDS = 50_000
"""Of a file: what is parsed takes many times the memory of its text."""

MAX_LOCALS = 8
MAX_LOCAL = 160
"""Variables of a frame, and the length of a name or a text; longer ones no reporter of ours writes."""

MAX_ALL_FRAMES = 20_000
"""Of a file; later results are kept without theirs."""

MAX_NUMBER = 1 << 31

Record = Mapping[str, Any]


class ForgeryError(ValueError):
    """A line that no reporter of ours writes."""


def records(data: bytes) -> Iterator[Record]:
    """Each line as a JSON object with a `kind`; bounded in bytes, in lines, and in frames, which lines beyond lose."""
    if len(data) > MAX_BYTES:
        raise ForgeryError("more bytes than a suite has to tell")
    frames = 0
    for count, line in enumerate(lines(data), 1):
        record = _record(line)
        if count > MAX_RECORDS:
            raise ForgeryError("more lines than a suite has to tell")
        told = record.get("frames")
        frames += len(told) if isinstance(told, list) else 0
        yield record if frames <= MAX_ALL_FRAMES else {**record, "frames": []}


def lines(data: bytes) -> Iterator[bytes]:
    """One line after the other, never all of them: a list of empty ones takes eight times their bytes."""
    return iter(io.BytesIO(data))


def _record(line: bytes) -> Record:
    record = parsed(line)
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        raise ForgeryError("a line is no record")
    return record


def parsed(line: bytes) -> Any:
    """A line's JSON."""
    if len(line) > MAX_LINE:
        raise ForgeryError("a line is too long")
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ForgeryError("a line nests too deeply") from error


def test_result(record: Record) -> TestResult:
    """A `test` line."""
    return TestResult(
        node_id=string(record, "id", MAX_NODE_ID),
        outcome=Outcome(string(record, "outcome", MAX_TEXT)),
        phase=string(record, "phase", MAX_TEXT) or "call",
        seconds=_seconds(record.get("seconds")),
        exception=string(record, "exception", MAX_TEXT),
        message=string(record, "message", MAX_TEXT),
        frames=_frames(record.get("frames", [])),
    )


def collection_error(record: Record) -> TestResult:
    """A `collect_error` line."""
    return TestResult(
        node_id=string(record, "id", MAX_NODE_ID),
        outcome=Outcome.ERROR,
        phase="collect",
        exception=string(record, "exception", MAX_TEXT),
        message=string(record, "message", MAX_TEXT),
        frames=_frames(record.get("frames", [])),
    )


def number(record: Record, key: str) -> int:
    """A count or a code."""
    value = record.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_NUMBER:
        raise ForgeryError(f"{key} is no number")
    return value


def string(record: Record, key: str, limit: int) -> str:
    """A text, empty where it is missing; what no store takes is replaced."""
    value = record.get(key, "")
    if not isinstance(value, str) or len(value) > limit:
        raise ForgeryError(f"{key} is no text of at most {limit} characters")
    return value.encode("utf-8", "replace").decode().replace("\0", "�")


def _seconds(value: object) -> float:
    # An integer of hundreds of digits is no float, and raises an error of its own where one is wanted.
    if not isinstance(value, int | float) or not 0 <= value < MAX_NUMBER:
        raise ForgeryError("seconds is no duration")
    return float(value)


def _frames(value: object) -> tuple[Frame, ...]:
    if not isinstance(value, list) or len(value) > MAX_FRAMES:
        raise ForgeryError("frames is no short list")
    return tuple(_frame(item) for item in value)


def _frame(value: object) -> Frame:
    match value:
        case [str(path), int(line), str(function), *rest] if abs(line) < MAX_NUMBER:
            fields = {"path": path, "function": function}
            variables = _locals(rest)
            return Frame(string(fields, "path", MAX_TEXT), line, string(fields, "function", MAX_TEXT), variables)
        case _:
            raise ForgeryError("a frame is no path, line and function")


def _locals(rest: list[object]) -> tuple[tuple[str, str], ...]:
    match rest:
        case []:
            return ()
        case [list(pairs)] if len(pairs) <= MAX_LOCALS:
            return tuple(_local(pair) for pair in pairs)
        case _:
            raise ForgeryError("a frame's variables are no short list")


def _local(pair: object) -> tuple[str, str]:
    match pair:
        case [str(name), str(text)]:
            fields = {"name": name, "text": text}
            return string(fields, "name", MAX_LOCAL), string(fields, "text", MAX_LOCAL)
        case _:
            raise ForgeryError("a variable is no name and text")
