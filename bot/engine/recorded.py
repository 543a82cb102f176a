"""Ports whose every call is one recorded step. Arguments are not recorded, results are, as plain JSON.

What a step holds is one of `{"value": …}`, `{"artifact": sha256}` for results above `MAX_INLINE` bytes, and
`{"error": {"type": …, "cause": …, "remedy": …}}` with texts of at most `MAX_ERROR` characters. The caller sees the
decoded record even when the call has just been made, so that a replay cannot see anything else than the first
execution did.
"""

import dataclasses
import json
from collections.abc import Callable
from typing import Any, Protocol, get_type_hints

import structlog

from bot.engine.codec import Codec, codec_for
from bot.errors import RegreenError
from bot.pipeline.ports import Environments, GitHub, Ports, Reviews, Sources
from bot.repair.ports import Clock, Model, Workspace

MAX_INLINE = 64 * 1024
MAX_ERROR = 16 * 1024

Record = dict[str, Any]
RunStep = Callable[[str, Callable[[], Record]], Record]
"""Runs a function under a name, or returns what it returned in an earlier execution."""

_log = structlog.get_logger(__name__)


class Artifacts(Protocol):
    """Where large results go: content-addressed, durable when `put` returns."""

    def put(self, data: bytes) -> str:
        """Store and return the SHA-256 in hex. Raises `StoreError`, `NoRoomError`."""
        ...

    def get(self, digest: str) -> bytes:
        """The bytes again, verified. Raises `StoreError`."""
        ...


def record_ports(ports: Ports, run_step: RunStep, artifacts: Artifacts) -> Ports:
    """The same ports, each call a recorded step.

    The journal stays as it is: a replay appends the whole log again, and lines that are there already are skipped,
    which costs no step and restores a log that was lost.
    """

    def record(port: Any, protocol: type) -> Any:
        return recorded(port, protocol, run_step, artifacts)

    return dataclasses.replace(
        ports,
        github=record(ports.github, GitHub),
        sources=record(ports.sources, Sources),
        environments=record(ports.environments, Environments),
        workspace=record(ports.workspace, Workspace),
        models=ports.models.each(lambda _, model: record(model, Model)),
        clock=record(ports.clock, Clock),
        reviews=record(ports.reviews, Reviews),
    )


def recorded(port: object, protocol: type, run_step: RunStep, artifacts: Artifacts) -> Any:
    """A stand-in for `port` that offers exactly what `protocol` does; its properties pass through unrecorded."""
    return _Recorded(port, protocol, run_step, artifacts)


class _Recorded:
    """See `recorded`. Methods are found by name, once, from the protocol's own annotations."""

    def __init__(self, port: object, protocol: type, run_step: RunStep, artifacts: Artifacts) -> None:
        self._port = port
        self._run_step = run_step
        self._artifacts = artifacts
        self._protocol = protocol

    def __getattr__(self, name: str) -> Any:
        declared = getattr(self._protocol, name)  # raises AttributeError for what the protocol does not offer
        if isinstance(declared, property):
            return getattr(self._port, name)
        call = getattr(self._port, name)
        codec = codec_for(get_type_hints(declared)["return"])
        step = f"{self._protocol.__name__}.{name}"

        def method(*args: Any, **kwargs: Any) -> Any:
            record = self._run_step(step, lambda: self._outcome(step, lambda: call(*args, **kwargs), codec))
            return self._result(record, codec)

        return method

    def _outcome(self, step: str, call: Callable[[], Any], codec: Codec) -> Record:
        try:
            return self._kept(codec.encode(call()))
        except RegreenError as error:
            cause, remedy = _shortened(error.cause), _shortened(error.remedy)
            return {"error": {"type": type(error).__name__, "cause": cause, "remedy": remedy}}
        except Exception as error:  # noqa: BLE001 - a port may only raise RegreenError; a fault must replay like one
            _log.exception("port_fault", step=step)
            cause = f"A fault in {step}: {type(error).__name__}"
            return {"error": {"type": "RegreenError", "cause": cause, "remedy": "Report it with the worker's log."}}

    def _kept(self, value: Any) -> Record:
        data = json.dumps(value, separators=(",", ":")).encode()
        return {"value": value} if len(data) <= MAX_INLINE else {"artifact": self._artifacts.put(data)}

    def _result(self, record: Record, codec: Codec) -> Any:
        if "error" in record:
            error = record["error"]
            raise _error_type(error["type"])(error["cause"], error["remedy"])
        if "artifact" in record:
            return codec.decode(json.loads(self._artifacts.get(record["artifact"])))
        return codec.decode(record["value"])


def _shortened(text: str) -> str:
    """Storable, with what is too much left out of the middle: causes begin with a sentence and end with a log."""
    stored: str = codec_for(str).encode(text)
    half = MAX_ERROR // 2 - 1
    return stored if len(stored) <= MAX_ERROR else f"{stored[:half]}…\n{stored[-half:]}"


def _error_type(name: str) -> type[RegreenError]:
    """The class of this name in the exception tree, its root for one that is gone."""
    waiting = [RegreenError]
    while waiting:
        candidate = waiting.pop()
        if candidate.__name__ == name:
            return candidate
        waiting += candidate.__subclasses__()
    return RegreenError
