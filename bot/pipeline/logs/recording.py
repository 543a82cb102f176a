"""A port whose every call is one step: run under a name and recorded, or, in a replay, answered from the record.

What a step holds is one of `{"value": …}`, `{"artifact": sha256}` for results above `MAX_INLINE` bytes where there is a
place for artifacts, and `{"error": {"type": …, "cause": …, "remedy": …}}` with texts of at most `MAX_ERROR` characters.
The caller sees the decoded record even when the call has just been made, so that a replay cannot see anything else than
the first execution did.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, get_type_hints

import structlog

from bot.codec import Codec, canonical, codec_for, digest
from bot.errors import RegreenError

MAX_INLINE = 64 * 1024
MAX_ERROR = 16 * 1024

Record = dict[str, Any]
Asked = Callable[[], str]
"""A digest of a call's arguments, worked out when it is asked for."""
RunStep = Callable[[str, Asked, Callable[[], Record]], Record]
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


def recorded(port: object, protocol: type, run_step: RunStep, artifacts: Artifacts | None = None) -> Any:
    """A stand-in for `port` that offers exactly what `protocol` does; its properties pass through unrecorded."""
    return _Recorded(port, protocol, run_step, artifacts)


def step(name: str, declared: Callable[..., Any], call: Callable[..., Any], run_step: RunStep) -> Callable[..., Any]:
    """A function whose every call is a step; `declared` has its annotations."""
    return _method(name, declared, call, run_step, None)


class _Recorded:
    """See `recorded`. Methods are found by name, once, from the protocol's own annotations."""

    def __init__(self, port: object, protocol: type, run_step: RunStep, artifacts: Artifacts | None) -> None:
        self._port = port
        self._run_step = run_step
        self._artifacts = artifacts
        self._protocol = protocol

    def __getattr__(self, name: str) -> Any:
        declared = getattr(self._protocol, name)  # raises AttributeError for what the protocol does not offer
        if isinstance(declared, property):
            return getattr(self._port, name)
        called = f"{self._protocol.__name__}.{name}"
        return _method(called, declared, getattr(self._port, name), self._run_step, self._artifacts)


def _method(
    name: str,
    declared: Callable[..., Any],
    call: Callable[..., Any],
    run_step: RunStep,
    artifacts: Artifacts | None,
) -> Callable[..., Any]:
    parameters, codec = _codecs(declared)

    def method(*args: Any, **kwargs: Any) -> Any:
        record = run_step(
            name,
            lambda: _digest(parameters, args, kwargs),
            lambda: _outcome(name, lambda: call(*args, **kwargs), codec, artifacts),
        )
        return _result(record, codec, artifacts)

    return method


@cache
def _codecs(declared: Callable[..., Any]) -> tuple[Mapping[str, Codec], Codec]:
    """The codecs of a function's parameters, in order, and of its result."""
    hints = get_type_hints(declared)
    names = [name for name in inspect.signature(declared).parameters if name != "self"]
    return {name: codec_for(hints[name]) for name in names}, codec_for(hints["return"])


def _digest(parameters: Mapping[str, Codec], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    given = dict(zip(parameters, args, strict=False)) | dict(kwargs)
    plain = {name: parameters[name].encode(value) for name, value in given.items()}
    return digest(canonical(plain))


def _outcome(name: str, call: Callable[[], Any], codec: Codec, artifacts: Artifacts | None) -> Record:
    try:
        return _kept(codec.encode(call()), artifacts)
    except RegreenError as error:
        cause, remedy = _shortened(error.cause), _shortened(error.remedy)
        return {"error": {"type": type(error).__name__, "cause": cause, "remedy": remedy}}
    except Exception as error:  # noqa: BLE001 - a port may only raise RegreenError; a fault must replay like one
        _log.exception("port_fault", step=name)
        cause = f"A fault in {name}: {type(error).__name__}"
        return {"error": {"type": "RegreenError", "cause": cause, "remedy": "Report it with the worker's log."}}


def _kept(value: Any, artifacts: Artifacts | None) -> Record:
    if artifacts is None:
        return {"value": value}
    data = json.dumps(value, separators=(",", ":")).encode()
    return {"value": value} if len(data) <= MAX_INLINE else {"artifact": artifacts.put(data)}


def _result(record: Record, codec: Codec, artifacts: Artifacts | None) -> Any:
    if "error" in record:
        error = record["error"]
        raise _error_type(error["type"])(error["cause"], error["remedy"])
    if "artifact" in record and artifacts is not None:
        return codec.decode(json.loads(artifacts.get(record["artifact"])))
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
