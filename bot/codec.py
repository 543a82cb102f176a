"""Values to plain JSON and back, by their declared types: what a step records must be portable to another machine."""

import hashlib
import json
import math
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter

_CONFIG = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


class Codec:
    """Encodes and decodes one type. Bytes are base64; NUL-free text is not asked for, lone surrogates become U+FFFD."""

    def __init__(self, declared: Any) -> None:
        """Build the codec of any type that pydantic can describe, dataclasses and unions included."""
        # A tuple, since pydantic refuses a configuration for a bare dataclass.
        self._adapter: TypeAdapter[tuple[Any]] = TypeAdapter(tuple[declared], config=_CONFIG)

    def encode(self, value: Any) -> Any:
        """Dictionaries, lists, strings, numbers, booleans and `None`, nothing else.

        Raises `ValueError` for a value that is not of the declared type.
        """
        return _plain(self._adapter.dump_python((value,), mode="json", warnings="error")[0])

    def decode(self, encoded: Any) -> Any:
        """The value again. Raises `ValueError` for anything that `encode` cannot have made."""
        return self._adapter.validate_python([encoded])[0]


@cache
def codec_for(declared: Any) -> Codec:
    """One codec a type: building it costs more than using it."""
    return Codec(declared)


def canonical(plain: Any) -> bytes:
    """Plain JSON as the same bytes whatever the order of its keys."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def _plain(value: Any) -> Any:
    """Neither JSON nor UTF-8 holds everything that Python's floats and strings do."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
