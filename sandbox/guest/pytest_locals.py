"""What a frame's variables are, in a few words; beside the reporter, standard library only, Python 3.7 and later.

No code of the repository runs for it: only what the standard library prints is printed, anything else is shown as its
class and its attributes.
"""

from __future__ import annotations

import types
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
PRINTED = frozenset({"datetime", "decimal", "fractions", "pathlib", "uuid", "ipaddress", "collections"})
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
    if kind.__module__ in PRINTED and not issubclass(kind, (dict, list, tuple)):
        return str(repr(value))
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
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        held = None
    if type(held) is not dict or depth == 0 or not held:
        return f"<{kind.__name__}>"
    parts = [name[:NAME] + "=" + _part(part, depth) for name, part in islice(held.items(), ITEMS) if type(name) is str]
    return f"{kind.__name__}({', '.join(parts)})"


def _capped(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
