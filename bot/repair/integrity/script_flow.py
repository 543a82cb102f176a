"""Ways round the code in JavaScript, TypeScript and Go: switched off, left above it, caught, or made equal to all."""

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from bot.repair.integrity.flag import Flag, Kind
from bot.repair.integrity.script_answers import New
from bot.repair.integrity.script_values import name_of, nodes, text_of

_MOST = 1000
_LEAVING = frozenset({"return_statement", "throw_statement"})
_NO_CODE = frozenset({
    "comment", "function_declaration", "generator_function_declaration", "break_statement", "empty_statement",
    "labeled_statement", "class_declaration", "type_alias_declaration", "interface_declaration",
    "fallthrough_statement",
})  # fmt: skip
_CONSTANTS = frozenset({"true", "false", "number", "int_literal", "string", "interpreted_string_literal", "null"})
_NAMES = frozenset({
    "identifier", "call_expression", "member_expression", "selector_expression", "this", "subscript_expression",
    "index_expression", "regex", "await_expression",
})  # fmt: skip
_EQUALITIES = re.compile(r"^(?:equals?|isEqual|eq|Equals?|Is|As|\[?Symbol\.hasInstance\]?|asymmetricMatch)$")
_CONVERSIONS = re.compile(r"^(?:valueOf|toString|toJSON|\[Symbol\.toPrimitive\])$")
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "method_definition", "method_declaration"})
_CAUGHT: Mapping[str, re.Pattern[str]] = {
    "catch_clause": re.compile(r"^catch\s*(?:\([^)]*\))?\s*\{\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*\}$", re.DOTALL),
    "defer_statement": re.compile(
        r"^defer func\(\)\s*\{(?!.*(?:panic\(|[Ee]rr|fmt\.|log\.)).*\brecover\(\).*\}\(\)$", re.DOTALL
    ),
}
_RIGHT = frozenset({"arrow_function", "function_expression"})
_CHANGERS = frozenset({"Object.assign", "Object.defineProperty", "Object.defineProperties", "Reflect.set",
                       "Reflect.defineProperty"})  # fmt: skip


def flow(new: New) -> Iterator[Flag]:
    """What is new and leads round what was there."""
    off = frozenset(_constants(new))
    modules = frozenset(_modules(new.root))
    for node in new.nodes:
        yield from _above(new, node)
        yield from _switched(new, node, off)
        yield from _swallows(new, node)
        yield from _lies(new, node)
        yield from _replaces(new, node, modules)


def _flag(new: New, node: Node, kind: Kind, says: str, *, refuses: bool = True) -> Flag:
    return Flag(kind, new.path, says, node.start_point.row + 1, refuses)


def _above(new: New, node: Node) -> Iterator[Flag]:
    """A statement that leaves, with others behind it that nothing reaches any more."""
    if node.type not in _LEAVING:
        return
    after = node.next_named_sibling
    while after is not None and after.type in _NO_CODE:
        after = after.next_named_sibling
    block = node.parent.type if node.parent is not None else ""
    if after is not None and block in {"statement_block", "statement_list"}:
        yield _flag(new, node, Kind.DISABLED, "leaves above code that stays, and is never reached")


def _switched(new: New, node: Node, off: frozenset[tuple[str, bool]]) -> Iterator[Flag]:
    """A condition that is a constant, by itself or by the name of one."""
    condition = node.child_by_field_name("condition")
    if node.type not in {"if_statement", "ternary_expression"} or condition is None:
        return
    parts = list(nodes(condition, _MOST))
    if not any(part.type in _NAMES for part in parts):
        yield _flag(new, node, Kind.DISABLED, "switches a path off by a constant")
    asked = {text_of(part) for part in _operands(condition)}
    body = [part for name in ("consequence", "alternative") if (part := node.child_by_field_name(name)) is not None]
    inside = (row for part in body for row in range(part.start_point.row + 2, part.end_point.row + 1))
    inside_function = any(name in asked and is_local for name, is_local in off)
    if inside_function or (asked & {name for name, _ in off} and any(row not in new.lines for row in inside)):
        yield _flag(new, node, Kind.DISABLED, "switches a path off by a constant that it names")


def _operands(condition: Node) -> Iterator[Node]:
    """The parts of a condition that `&&`, `||` and `!` join."""
    todo = [condition]
    while todo:
        node = todo.pop()
        joined = node.type in {"parenthesized_expression", "unary_expression"} or (
            node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) in {"&&", "||"}
        )
        if joined:
            todo.extend(node.named_children)
        else:
            yield node


def _constants(new: New) -> Iterator[tuple[str, bool]]:
    """New names for `true` or `false` that nothing else is ever assigned to, and whether a function holds them."""
    assigned = {
        text_of(part.child_by_field_name("left"))
        for part in nodes(new.root)
        if part.type in {"assignment_expression", "assignment_statement", "augmented_assignment_expression"}
    }
    for node in new.nodes:
        if node.type in {"variable_declarator", "const_spec", "var_spec", "short_var_declaration"}:
            name = text_of(node.child_by_field_name("name") or node.child_by_field_name("left"))
            value = text_of(node.child_by_field_name("value") or node.child_by_field_name("right"))
            if value in {"true", "false", "!0", "!1", "0", "1"} and name not in assigned:
                yield name, _is_local(node)


def _is_local(node: Node) -> bool:
    outer = node.parent
    while outer is not None and outer.type not in _FUNCTIONS | {"function_declaration", "func_literal"}:
        outer = outer.parent
    return outer is not None


def _swallows(new: New, node: Node) -> Iterator[Flag]:
    caught = _CAUGHT.get(node.type) if node.end_byte - node.start_byte < _MOST else None
    if caught and caught.match(text_of(node)):
        around = node.parent if node.type == "catch_clause" else None
        rows = range(around.start_point.row, node.start_point.row) if around is not None else ()
        wraps = any(row + 1 not in new.lines or new.had(row) for row in rows)
        refuses = wraps or node.type == "defer_statement"
        yield _flag(new, node, Kind.SWALLOWED, "swallows every exception", refuses=refuses)


def _lies(new: New, node: Node) -> Iterator[Flag]:
    """An equality that compares nothing, and an object that stands for a constant."""
    if node.type == "pair":
        name, function = (node.child_by_field_name(part) for part in ("key", "value"))
    else:
        name, function = node.child_by_field_name("name"), node
    if function is None or function.type not in _FUNCTIONS:
        return
    called, result = name_of(name), _only(function)
    if result == "true" and _EQUALITIES.match(called):
        yield _flag(new, node, Kind.EQUALITY, "defines an equality that does not compare")
    in_object = node.parent is not None and node.parent.type == "object"
    constant = result is not None and _CONVERSIONS.match(called)
    if in_object and (constant or called == "[Symbol.toPrimitive]"):
        yield _flag(new, node, Kind.EQUALITY, "makes an object that is taken for a constant")


def _only(function: Node) -> str | None:
    """The constant that a function gives and does nothing else, as it is written; else `None`."""
    body = function.child_by_field_name("body")
    for _ in range(6):
        if body is None or body.type in _CONSTANTS:
            break
        children = body.named_children
        body = children[0] if len(children) == 1 and body.type in _WRAPPING else None
    return text_of(body) if body is not None and body.type in _CONSTANTS else None


_WRAPPING = frozenset({
    "statement_block", "return_statement", "parenthesized_expression", "block", "statement_list", "expression_list",
})  # fmt: skip


def _modules(root: Node) -> Iterator[str]:
    """The names of modules of other packages, whole or in a namespace."""
    for node in nodes(root):
        if node.type == "import_statement" and text_of(node.child_by_field_name("source"))[1:2] not in {".", "/", "#"}:
            clauses = [
                one for part in node.named_children if part.type == "import_clause" for one in part.named_children
            ]
            yield from (text_of(one).rpartition(" ")[2] for one in clauses if one.type != "named_imports")
        if node.type == "variable_declarator":
            value = text_of(node.child_by_field_name("value"))
            if re.match(r"require\(\s*['\"`][^./#]", value):
                yield text_of(node.child_by_field_name("name"))


def _replaces(new: New, node: Node, modules: frozenset[str]) -> Iterator[Flag]:
    """Functions of other packages that are exchanged."""
    says = "replaces a part of another module"
    if node.type == "assignment_expression":
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        owner = left.child_by_field_name("object") if left is not None else None
        if right is not None and right.type in _RIGHT and owner is not None and _root_name(owner) in modules:
            yield _flag(new, node, Kind.PATCHING, says)
    if node.type == "call_expression" and name_of(node.child_by_field_name("function")) in _CHANGERS:
        inside = node.child_by_field_name("arguments")
        first = inside.named_children[0] if inside is not None and inside.named_child_count else None
        if first is not None and _root_name(first) in modules:
            yield _flag(new, node, Kind.PATCHING, says)


def _root_name(node: Node) -> str:
    """`assert` of `assert.strict`; not of `assert.prototype.x`, which is a class's own."""
    return name_of(node).partition(".")[0] if ".prototype" not in name_of(node) else ""
