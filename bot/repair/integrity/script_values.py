"""The literals of JavaScript, TypeScript and Go by their values, however they are written."""

import base64
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from tree_sitter import Node

MAX_NODES = 100_000
_DEPTH = 50
_LONGEST = 4096
_BASE, _POWER, _SHIFT = 1e9, 64, 64
Value = str | int | float

_NUMBERS = frozenset({"number", "int_literal", "float_literal"})
_TEXTS = frozenset({"string", "template_string", "interpreted_string_literal", "raw_string_literal"})
_WRAPPERS = frozenset({
    "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression", "expression_list",
    "literal_element",
})  # fmt: skip
_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
}  # fmt: skip
_BITS: Mapping[str, Callable[[int, int], int]] = {
    "^": operator.xor, "|": operator.or_, "&": operator.and_, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{4,6})\}?|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_NAME = 200
_CODES = frozenset({"String.fromCharCode", "String.fromCodePoint", "Buffer.from", "string"})
_PARSERS = frozenset({"parseInt", "Number", "Number.parseInt", "parseFloat", "BigInt"})
_GO_BASE64 = re.compile(r"base64\.(?:Raw)?(?:Std|URL)Encoding\.DecodeString")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A literal: the key that equal ones share, where it begins, and whether it is written as a calculation."""

    key: str
    node: Node
    computed: bool = False


def leaves(root: Node, most: int = MAX_NODES) -> Iterator[Leaf]:
    """The literals in a node, in order; of what is put together from literals alone, the whole."""
    todo = [root]
    for _ in range(most):
        if not todo:
            return
        node = todo.pop()
        value = value_of(node) if node.type not in _WRAPPERS else None
        if value is None:
            todo.extend(reversed(node.children))
        else:
            yield Leaf(key(value), node, node.type in {"call_expression", "binary_expression"} or _is_coded(node))


def key(value: Value) -> str:
    """One text for equal values: a text in quotes, a number in tens and without its sign."""
    if isinstance(value, str):
        return f'"{value}"'
    whole = isinstance(value, int) or (abs(value) < _BASE**2 and value.is_integer())
    return str(abs(int(value))) if whole else repr(abs(value))


def value_of(node: Node, depth: int = 0) -> Value | None:
    """The value of a literal, or of what is put together from literals alone; else `None`."""
    read = _READERS.get(node.type)
    if read is None or depth > _DEPTH:
        return None
    try:
        return read(node, depth + 1)
    except (ValueError, ArithmeticError):
        return None


def text_of(node: Node | None) -> str:
    """A node as it is written."""
    return ((node.text if node is not None else b"") or b"").decode("utf-8", "replace")


def name_of(node: Node | None) -> str:
    """A name as it is written, without blanks; of a long one, as a chain of calls is, the last part."""
    if node is None or node.end_byte - node.start_byte <= _NAME:
        return "".join(text_of(node).split())
    last = node.child_by_field_name("property") or node.child_by_field_name("field")
    return f".{text_of(last)}" if last is not None else ""


def nodes(root: Node, most: int = MAX_NODES) -> Iterator[Node]:
    """The node and everything in it, by a stack; bounded."""
    todo = [root]
    for _ in range(most):
        if not todo:
            return
        node = todo.pop()
        yield node
        todo.extend(reversed(node.children))


def _is_coded(node: Node) -> bool:
    return node.type in _NUMBERS and text_of(node)[:2].lower() in {"0x", "0b", "0o"}


def _number(text: str) -> int | float:
    """Raises `ValueError`."""
    plain = text.replace("_", "").removesuffix("n")
    if plain[:2].lower() in {"0x", "0o", "0b"}:
        return int(plain, 0)
    return int(plain) if plain.isdigit() else float(plain)


def _inner(node: Node, depth: int) -> Value | None:
    return value_of(node.named_children[0], depth) if node.named_child_count else None


def _text(node: Node, depth: int) -> str | None:
    del depth
    written = text_of(node)
    if any(child.type == "template_substitution" for child in node.children):
        return None
    return written[1:-1] if node.type == "raw_string_literal" else _ESCAPE.sub(_character, written[1:-1])


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _NAMED.get(found[3], found[3])


def _negative(node: Node, depth: int) -> Value | None:
    value = value_of(node.named_children[-1], depth) if node.named_child_count else None
    sign = text_of(node)[:1]
    return (-value if sign == "-" else value) if isinstance(value, int | float) and sign in {"-", "+"} else None


def _together(node: Node, depth: int) -> Value | None:
    left, right = (node.child_by_field_name(side) for side in ("left", "right"))
    if left is None or right is None:
        return None
    one = value_of(left, depth)
    other = None if one is None else value_of(right, depth)
    sign = text_of(node.child_by_field_name("operator"))
    if isinstance(one, str) and isinstance(other, str):
        return one + other if sign == "+" and len(one) + len(other) < _LONGEST else None
    if not isinstance(one, int | float) or not isinstance(other, int | float) or abs(one) > _BASE**2:
        return None
    if sign in _BITS and isinstance(one, int) and isinstance(other, int):
        return _BITS[sign](one, other) if 0 <= other < _SHIFT or sign in "^|&" else None
    small = sign != "**" or (abs(one) <= _BASE and abs(other) <= _POWER)
    return _ARITHMETIC[sign](one, other) if sign in _ARITHMETIC and small else None


@dataclass(frozen=True, slots=True)
class _Call:
    """A call: its whole name, the name's last part, what a method is called on, and what it is given."""

    name: str
    method: str
    owner: Node | None
    given: Sequence[Node]
    depth: int

    def value(self, at: int) -> Value | None:
        """What it is given at a place."""
        return value_of(self.given[at], self.depth) if at < len(self.given) else None

    @classmethod
    def of(cls, node: Node, depth: int) -> "_Call":
        function, inside = (node.child_by_field_name(name) for name in ("function", "arguments"))
        name = name_of(function)
        owner = function.child_by_field_name("object") if function is not None else None
        return cls(name, name.rpartition(".")[2], owner, inside.named_children if inside is not None else (), depth)


def _called(node: Node, depth: int) -> Value | None:
    """What a call of literals alone gives, for the calls that turn one text into another, and codes into texts."""
    call = _Call.of(node, depth)
    if call.name in _PARSERS:
        return _parsed(call)
    if call.method in {"join", "Join"}:
        return _joined(call)
    return _of_codes(call) if call.name in _CODES else _changed(call)


def _parsed(call: _Call) -> int | float | None:
    match call.value(0), call.value(1):
        case str(text), int(radix):
            return int(text, radix)
        case str(text), None:
            return _number(text)
    return None


def _joined(call: _Call) -> str | None:
    first = call.owner if call.method == "join" else next(iter(call.given), None)
    by = call.value(len(call.given) - 1) if call.given else ","
    listed = _items(first, call.depth) if first is not None and isinstance(by, str) else None
    return str(by).join(map(str, listed)) if listed is not None else None


def _of_codes(call: _Call) -> str | None:
    """A text of codes, which are numbers or one list of them, or an encoded text."""
    match call.name, call.value(0), call.value(1):
        case "Buffer.from", str(text), coding:
            return _decoded(text, str(coding or ""))
    items: Sequence[Value] | None = [one for at in range(len(call.given)) if (one := call.value(at)) is not None]
    if not items and len(call.given) == 1:
        items = _items(call.given[0], call.depth)
    if not items or any(isinstance(one, float) for one in items):
        return None
    return "".join(one if isinstance(one, str) else chr(int(one)) for one in items)


def _changed(call: _Call) -> str | None:
    change = _CHANGED.get(_GO_BASE64.sub("atob", call.name)) or _CHANGED.get(call.method)
    text = call.value(0) if call.owner is None else value_of(call.owner, call.depth)
    return change(text) if change and isinstance(text, str) else None


def _items(node: Node, depth: int) -> Sequence[Value] | None:
    """The values of a list of literals, or of a text that is split into letters, turned round or made of codes."""
    if depth > _DEPTH:
        return None
    if node.type == "spread_element" and node.named_child_count:
        return _items(node.named_children[0], depth + 1)
    if node.type in {"array", "composite_literal"}:
        body = node.child_by_field_name("body") or node
        values = [value_of(part, depth) for part in body.named_children]
        return [value for value in values if value is not None] if None not in values else None
    call = _Call.of(node, depth + 1)
    return _of_items(call) if call.owner is not None else None


def _of_items(call: _Call) -> Sequence[Value] | None:
    owner = call.owner
    if owner is None:
        return None
    if call.method == "split":
        text, by = value_of(owner, call.depth), call.value(0)
        return (text.split(by) if by else list(text)) if isinstance(text, str) and isinstance(by, str) else None
    listed = _items(owner, call.depth) if call.method in {"reverse", "map"} else None
    if listed is None or call.method == "reverse":
        return listed[::-1] if listed is not None else None
    coded = any("String.from" in text_of(one) for one in call.given)
    return [chr(int(one)) for one in listed if not isinstance(one, str)] if coded else None


def _decoded(text: str, coding: str) -> str:
    """Raises `ValueError`."""
    if len(text) > _LONGEST:
        raise ValueError
    if coding.startswith("base64"):
        padded = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
        return base64.b64decode(padded, validate=True).decode("utf-8", "replace")
    return bytes.fromhex(text).decode("utf-8", "replace") if coding == "hex" else text


_CHANGED: Mapping[str, Callable[[str], str]] = {
    "toLowerCase": str.lower, "toUpperCase": str.upper, "trim": str.strip, "toString": str,
    "strings.ToLower": str.lower, "strings.ToUpper": str.upper, "strings.TrimSpace": str.strip,
    "atob": lambda text: _decoded(text, "base64"), "unescape": unquote, "decodeURIComponent": unquote,
    "hex.DecodeString": lambda text: _decoded(text, "hex"),
}  # fmt: skip
_READERS: Mapping[str, Callable[[Node, int], Value | None]] = {
    **dict.fromkeys(_NUMBERS, lambda node, _: _number(text_of(node))),
    **dict.fromkeys(_TEXTS, _text),
    **dict.fromkeys(_WRAPPERS, _inner),
    "unary_expression": _negative,
    "binary_expression": _together,
    "call_expression": _called,
}
