"""What a frame's variables are, in a few words; beside the reporter, standard library only, Python 3.7 and later.

No code of the repository runs for it: what prints itself is of a few exact classes of the standard library, whose parts
no subclass can be, and anything else is shown as its class and its attributes, read past whatever it overrides.
"""

from __future__ import annotations

import datetime as dt
import decimal
import pathlib
import types
import uuid
from itertools import islice
from typing import Any

VARIABLES = 8
NAME = 40
TEXT = 120
ITEMS = 6
DEPTH = 2
SHORT = 60
PLAIN = (bool, int, float, complex, type(None), type(...))
TEXTS = (str, bytes)
SEQUENCES = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}
PRINTED = (
    dt.date,
    dt.timedelta,
    dt.timezone,
    decimal.Decimal,
    pathlib.PosixPath,
    pathlib.PurePosixPath,
    uuid.UUID,
)
ZONED = (dt.datetime, dt.time)
HIDDEN = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType, type)


def shown(frame: Any) -> list[list[str]]:
    """Names and values of the first variables, arguments first; functions, classes and modules say nothing."""
    found = []
    try:
        for name, value in frame.f_locals.items():
            if type(name) is str and not name.startswith(("@", "__")) and not issubclass(type(value), HIDDEN):
                found.append([name[:NAME], _capped(_text(value, DEPTH), TEXT)])
            if len(found) == VARIABLES:
                break
    except Exception:  # noqa: BLE001 (a hint may be missing, a report may not)
        return found
    return found


def _text(value: Any, depth: int) -> str:
    kind = type(value)
    if kind in PLAIN:
        return _number(value)
    if kind in TEXTS:
        return repr(value if len(value) <= TEXT else value[:TEXT])
    if kind in SEQUENCES or kind is dict:
        return _items(value, kind, depth)
    if kind in PRINTED or (kind in ZONED and type(value.tzinfo) in (type(None), dt.timezone)):
        return repr(value)
    return _attributes(value, kind, depth)


def _number(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:
        return "a number of many digits"


def _items(value: Any, kind: Any, depth: int) -> str:
    around: str = SEQUENCES.get(kind, "{}")
    left, right = around[0], around[1]
    if depth == 0 and value:
        return left + "..." + right
    first = islice(value.items() if kind is dict else value, ITEMS)
    parts = [": ".join(map(_part, pair, (depth, depth))) if kind is dict else _part(pair, depth) for pair in first]
    if len(value) > ITEMS:
        parts.append("... " + str(len(value)) + " in all")
    return left + ", ".join(parts) + right


def _part(value: Any, depth: int) -> str:
    return _capped(_text(value, depth - 1), SHORT)


def _attributes(value: Any, kind: Any, depth: int) -> str:
    name: str = _of_type(kind, "__name__")
    held = object.__getattribute__(value, "__dict__") if depth and _plain_dict(kind) else None
    if type(held) is not dict or not held:
        return "<" + name + ">"
    parts = [key[:NAME] + "=" + _part(part, depth) for key, part in islice(held.items(), ITEMS) if type(key) is str]
    return name + "(" + ", ".join(parts) + ")"


def _plain_dict(kind: Any) -> bool:
    """Whether the attributes can be had without a property of the class: the first `__dict__` is the interpreter's."""
    for owner in _of_type(kind, "__mro__"):
        own = _of_type(owner, "__dict__")
        if "__dict__" in own:
            return type(own["__dict__"]) is types.GetSetDescriptorType
    return False


def _of_type(kind: Any, name: str) -> Any:
    """What a class itself says, whatever a metaclass would."""
    return type.__dict__[name].__get__(kind)


def _capped(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
