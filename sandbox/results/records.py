"""The lines that our pytest plugin writes, read as what they are: claims of the workload.

Each function raises `ValueError` (JSON's own, or `ForgeryError`) for a line that the plugin cannot have written.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.spec import Frame, Outcome, TestResult

MAX_NODE_ID = 16_384
MAX_TEXT = 8192
MAX_FRAMES = 64

Record = Mapping[str, Any]


class ForgeryError(ValueError):
    """A line that our plugin does not write."""


def records(data: bytes) -> Iterator[Record]:
    """Each line as a JSON object with a `kind`."""
    for line in data.splitlines():
        try:
            record = json.loads(line)
        except RecursionError as error:
            raise ForgeryError("a line nests too deeply") from error
        if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
            raise ForgeryError("a line is no record")
        yield record


def test_result(record: Record) -> TestResult:
    """A `test` line."""
    return TestResult(
        node_id=string(record, "id", MAX_NODE_ID),
        outcome=Outcome(string(record, "outcome", MAX_TEXT)),
        phase=string(record, "phase", MAX_TEXT),
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
    if not isinstance(value, int) or isinstance(value, bool):
        raise ForgeryError(f"{key} is no number")
    return value


def string(record: Record, key: str, limit: int) -> str:
    """A text, empty where it is missing; what no store takes is replaced."""
    value = record.get(key, "")
    if not isinstance(value, str) or len(value) > limit:
        raise ForgeryError(f"{key} is no text of at most {limit} characters")
    return value.encode("utf-8", "replace").decode().replace("\0", "�")


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ForgeryError("seconds is no duration")
    return float(value)


def _frames(value: object) -> tuple[Frame, ...]:
    if not isinstance(value, list) or len(value) > MAX_FRAMES:
        raise ForgeryError("frames is no short list")
    return tuple(_frame(item) for item in value)


def _frame(value: object) -> Frame:
    match value:
        case [str(path), int(line), str(function)]:
            fields = {"path": path, "function": function}
            return Frame(string(fields, "path", MAX_TEXT), line, string(fields, "function", MAX_TEXT))
        case _:
            raise ForgeryError("a frame is no path, line and function")
