"""The values of expressions that are made of constants alone, however roundabout: split, joined, encoded, reversed.

Nothing of the code is run: only these operations are known, on values of bounded size.
"""

import ast
import base64
import binascii
import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping

from bot.repair.integrity.expectations import value_of

MAX_SIZE = 2000
MAX_DEPTH = 20
_WORD = 4
_PRINTABLE = range(32, 127)
_FILLED = re.compile(r"(?:[^%]|%[sd])*")
_COMPUTING = re.compile(r"\{\d*[^\d}]")
_FAILURES = (
    ValueError, TypeError, SyntaxError, LookupError, ArithmeticError, AttributeError, MemoryError, RecursionError,
)  # fmt: skip
_METHODS = frozenset({
    "split", "rsplit", "splitlines", "join", "replace", "lower", "upper", "title", "capitalize", "casefold", "swapcase",
    "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "encode", "decode", "hex", "format",
})  # fmt: skip


def _octets(codes: object, *codec: str) -> bytes:
    """Of a number, `bytes` makes as many zeros: that is no text, and any size."""
    return codes.encode(*codec) if isinstance(codes, str) else bytes(codes) if isinstance(codes, list) else b""


def _turned(text: str, name: str) -> str:
    """The one codec of texts that people hide things with; others do nothing for a text."""
    if name.lower().replace("_", "").replace("-", "") != "rot13":
        raise ValueError(name)
    return codecs.encode(text, "rot13")


_FUNCTIONS: Mapping[str, Callable[..., object]] = {
    "int": int, "float": float, "str": str, "bytes": _octets, "bytearray": _octets, "tuple": tuple, "list": list,
    "set": list, "frozenset": list, "sorted": sorted, "chr": chr, "Decimal": str, "decimal.Decimal": str,
    "bytes.fromhex": bytes.fromhex, "base64.b64decode": base64.b64decode, "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode, "base64.b85decode": base64.b85decode, "json.loads": json.loads,
    "binascii.unhexlify": binascii.unhexlify, "codecs.decode": _turned, "codecs.encode": _turned,
}  # fmt: skip


def folded(node: ast.expr, dotted: Callable[[ast.AST], str]) -> object:
    """What an expression comes to; `dotted` names what is called. Raises `ValueError` where it is no constant."""
    try:
        return _bounded(_value(node, dotted, MAX_DEPTH))
    except _FAILURES as error:
        raise ValueError(ast.dump(node)[:80]) from error


def scalars(value: object) -> Iterator[str | int | float]:
    """The texts and numbers in a value."""
    if isinstance(value, bytes):
        yield value.decode("latin-1")
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from scalars(pair)
    elif isinstance(value, list):
        if len(value) >= _WORD and all(isinstance(part, int) and part in _PRINTABLE for part in value):
            yield "".join(map(chr, value))
        for part in value:
            yield from scalars(part)


def _bounded(value: object) -> object:
    if isinstance(value, str | bytes | list | tuple | dict) and len(value) > MAX_SIZE:
        raise ValueError
    return value


def _value(node: ast.expr, dotted: Callable[[ast.AST], str], depth: int) -> object:
    def inner(part: ast.expr) -> object:
        return _bounded(_value(part, dotted, depth - 1))

    if not depth:
        raise ValueError
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            found: object = [inner(part) for part in parts]
        case ast.Dict(keys=keys, values=values) if all(keys):
            found = [[inner(one), inner(other)] for one, other in zip(keys, values, strict=True) if one is not None]
        case ast.Call(func=called, args=args, keywords=[]) if function := _FUNCTIONS.get(dotted(called)):
            found = function(*map(inner, args))
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args, keywords=[]) if name in _METHODS:
            found = getattr(_text(inner(owner), name), name)(*map(inner, args))
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text)), right=right) if _FILLED.fullmatch(text):
            filling = inner(right)
            found = text % (tuple(filling) if isinstance(filling, list) else filling)
        case ast.Subscript(value=owner, slice=ast.Slice(lower=None, upper=None, step=ast.expr() as step)):
            found = _text(inner(owner))[:: int(str(inner(step)))]
        case _:
            found = value_of(node)
    return found


def _text(value: object, method: str = "") -> str | bytes:
    """A text whose method may be called: a template that only takes values in, since others cost what they like."""
    if not isinstance(value, str | bytes) or (method == "format" and _COMPUTING.search(str(value))):
        raise TypeError
    return value
