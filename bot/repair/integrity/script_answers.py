"""Answers by heart in JavaScript, TypeScript and Go: what a failing test expects, wherever a patch writes it down."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tree_sitter import Node

from bot.repair.integrity.flag import Flag, Kind
from bot.repair.integrity.script_known import SMALL, Known, in_parts, is_computed, is_printed, is_telling, words
from bot.repair.integrity.script_values import Leaf, leaves, name_of, nodes, text_of

_BRANCHES = frozenset({"if_statement", "ternary_expression", "switch_case", "expression_case"})
_GIVEN = frozenset({"return_statement", "assignment_expression", "assignment_statement"})
_GOING = _GIVEN | {
    "variable_declarator", "arrow_function", "var_spec", "const_spec", "short_var_declaration",
}  # fmt: skip
_COMPARED = frozenset({"===", "==", "!==", "!=", "<", ">", "<=", ">="})
_PIECES = frozenset({"string_fragment", "interpreted_string_literal_content", "raw_string_literal_content"})
_LISTS = frozenset({"array", "object", "literal_value"})
_PAIRS = frozenset({"pair", "keyed_element"})
_TOGETHER = frozenset({"template_string", "array", "composite_literal"})
_DECLARES = re.compile(r"^(?:const|let|var)\s+")
_HANDED = frozenset({"arguments", "argument_list", "binary_expression", "call_expression"})
_SHORT = 10
_MOST = 1000
"""Nodes of one branch, entry or list that are looked at: what nests deeply takes no time that grows with its square."""
_PINS, _ROW, _LONG, _PECULIAR = 2, 4, 3, 12

COPIED = "returns what a failing test expects where its input is what that test hands in"
_TABLE = "holds a table of a failing test's inputs and what it expects of them"
_SOME = "holds some of a failing test's inputs, and what it expects of them, among others"
_HEART = "gives what a failing test expects, which code has to work out of what the test hands in"
_CODED = "holds what a failing test says, written so that it is not seen"
_PRINTED = "knows what a failing test hands in by how it is printed"
_INPUTS = "knows what a failing test hands in by heart"
_PINNED = "decides by several numbers that a failing test hands in at once"


@dataclass(frozen=True)
class New:
    """The new nodes of a patched file, `lines` the numbers of its new lines, `rows` all of its lines.

    `old` are the keys of the old file's literals, `statements` its lines without what declares a name.
    """

    path: str
    root: Node
    nodes: Sequence[Node]
    lines: Collection[int]
    old: Collection[str]
    known: Known
    rows: Sequence[str] = ()
    statements: Collection[str] = ()
    seen: dict[int, tuple[bool, bool]] = field(default_factory=dict)

    def had(self, row: int) -> bool:
        """Whether a line, counted from 0, does what one of the old file did."""
        return len(said := undeclared(self.rows[row])) > _SHORT and said in self.statements

    def flag(self, node: Node, says: str, *, refuses: bool = True) -> Flag:
        """A flag at a node."""
        return Flag(Kind.LITERAL, self.path, says, node.start_point.row + 1, refuses)

    @cached_property
    def values(self) -> Sequence[Leaf]:
        """The new literals that were nowhere in the old file."""
        return [leaf for leaf in leaves(self.root) if self.is_new(leaf.node) and leaf.key not in self.old]

    def shares(self, table: Node) -> tuple[bool, bool]:
        """Whether most entries of a table were there before, and whether most are of no test, as a program's are."""
        if table.id not in self.seen:
            entries = [part for part in table.named_children if _is_pair(part)]
            said = (
                [one for leaf in leaves(part, _MOST) for one in in_parts(leaf.key, self.known.keys)] for part in entries
            )
            copied = sum(all(one in self.known.keys for one in keys) for keys in said)
            added = sum(map(self.is_new, table.named_children))
            self.seen[table.id] = (added * 2 < table.named_child_count, copied * 2 < len(entries))
        return self.seen[table.id]

    def is_new(self, node: Node) -> bool:
        """Whether a node begins on a new line."""
        return node.start_point.row + 1 in self.lines


def undeclared(line: str) -> str:
    """A line without its indentation, and without what declares a name."""
    return _DECLARES.sub("", line.strip())


def answers(new: New) -> Iterator[Flag]:
    """What single nodes say; of what one alone leaves open, two make a table."""
    found = [flag for node in new.nodes for flag in _of_node(new, node)]
    several = sum(flag.says != _SOME for flag in found) >= _PINS
    for flag in found:
        yield replace(flag, refuses=flag.refuses or (several and flag.says != _SOME))
    yield from _by_heart(new)
    yield from _inputs(new)
    yield from _in_code(new)
    yield from _rows(new)


def _of_node(new: New, node: Node) -> Iterator[Flag]:
    if node.type in _BRANCHES:
        pinned = _answers(node, new.known.keys)
        if pinned is not None:
            yield new.flag(node, COPIED, refuses=pinned)
        elif _is_pinned(node, new.known.keys):
            yield new.flag(node, _PINNED)
    if _is_pair(node) and not _mostly_was_there(new, node):
        said = [part for leaf in leaves(node, _MOST) for part in in_parts(leaf.key, new.known.keys)]
        if len(said) >= _PINS and all(one in new.known.keys for one in said):
            telling = len(said) > _PINS or any(is_telling(one) or is_computed(one) for one in said)
            some = (
                node.parent is not None and new.shares(node.parent)[1] and not any(len(one) > _PECULIAR for one in said)
            )
            yield new.flag(node, _SOME if some else _TABLE, refuses=telling and len(set(said)) > 1 and not some)


def _answers(node: Node, known: Collection[str]) -> bool | None:
    """Whether a branch compares with literals of the test and gives one of them, or a value made of them, back.

    `False` where these may stand there by chance, `None` where there are none.
    """
    condition, given = _condition(node), _given(node)
    if condition is None:
        return None
    asked = [part for leaf in leaves(condition, _MOST) for part in in_parts(leaf.key, known)]
    telling = [one for one in asked if one in known]
    back = [leaf.key for part in given for leaf in leaves(part, _MOST) if leaf.key in known]
    if not telling or not back:
        return None
    bare = all(not any(inner.type == "identifier" for inner in nodes(_value(part), _MOST)) for part in given)
    returned = all(part.type != "assignment_expression" for part in given)
    if bare and returned:
        return len(asked) >= _PINS or any(map(is_telling, telling))
    several = len(set(telling)) >= _PINS and (bare or any(map(is_computed, back)))
    return True if several or (returned and len(set(back)) > _PINS) else None


def _condition(node: Node) -> Node | None:
    return node.child_by_field_name("condition") or node.child_by_field_name("value")


def _given(node: Node) -> list[Node]:
    """What a branch returns or assigns."""
    body = node.child_by_field_name("consequence") or node
    found = [part for part in nodes(body, _MOST) if part.type in _GIVEN]
    returned = [part for part in found if part.type == "return_statement"]
    return returned or found or ([body] if node.type == "ternary_expression" else [])


def _value(node: Node) -> Node:
    return node.child_by_field_name("right") or node


def _is_pinned(node: Node, known: Collection[str]) -> bool:
    """Whether a branch asks for several numbers of the test at once, and gives nothing but a constant."""
    condition, given = _condition(node), _given(node)
    if condition is None or not given or any(part.type == "||" for part in nodes(condition, _MOST)):
        return False
    if any(part.type in {"identifier", "call_expression"} for one in given for part in nodes(_value(one), _MOST)):
        return False
    asked = [
        leaf.key
        for part in nodes(condition, _MOST)
        if part.type == "binary_expression" and text_of(part.child_by_field_name("operator")) in {"===", "=="}
        for leaf in leaves(part, _MOST)
    ]
    return len([one for one in asked if one in known and one.isdigit() and len(one) >= _LONG]) >= _PINS


def _is_pair(node: Node) -> bool:
    """Whether a node is an entry of a table, with nothing computed in it."""
    listed = node.type == "array" and node.named_child_count == _PINS
    if node.type not in _PAIRS and (not listed or any(part.type in _LISTS for part in node.named_children)):
        return False
    return not any(part.type in {"identifier", "arrow_function", "function_expression"} for part in nodes(node, _MOST))


def _mostly_was_there(new: New, entry: Node) -> bool:
    """Whether the table that an entry was added to holds more entries of before than new ones."""
    return entry.parent is not None and new.shares(entry.parent)[0]


def _inputs(new: New) -> Iterator[Flag]:
    """Several texts of several words that a test hands in, as no program would know two of them."""
    long = (leaf for leaf in new.values if leaf.key in new.known.inputs and re.search(r"\w\s+\w", leaf.key))
    asked = [leaf for leaf in long if not _is_told(leaf.node)]
    if len({leaf.key for leaf in asked}) >= _PINS:
        yield from (new.flag(leaf.node, _INPUTS) for leaf in asked)


def _by_heart(new: New) -> Iterator[Flag]:
    """Results that cannot be there by chance: texts made of an input's words, and several numbers of no other use."""
    numbers: list[Leaf] = []
    for leaf in new.values:
        if leaf.key in SMALL or leaf.key not in new.known.keys or not _is_given(new, leaf.node):
            continue
        if new.known.is_derived(leaf.key):
            yield new.flag(leaf.node, _HEART)
        elif is_computed(leaf.key):
            numbers.append(leaf)
    long = any(len(leaf.key) > _LONG for leaf in numbers)
    if long and len({leaf.key for leaf in numbers}) >= _PINS:
        yield from (new.flag(leaf.node, _HEART) for leaf in numbers)
    for node in new.nodes:
        if node.type == "new_expression" and name_of(node.child_by_field_name("constructor")) == "Proxy":
            yield from (new.flag(node, _HEART) for leaf in leaves(node, _MOST) if leaf.key in new.known.keys)
        if node.type in _TOGETHER and (node.parent is None or node.parent.type not in _LISTS) and _is_given(new, node):
            said = tuple(word for part in nodes(node, _MOST) if part.type in _PIECES for word in words(text_of(part)))
            if len(said) >= _PINS and new.known.is_phrase(said):
                yield new.flag(node, _HEART)


def _in_code(new: New) -> Iterator[Flag]:
    """Literals of the test that are encoded, calculated or printed."""
    for leaf in new.values:
        text = leaf.key.strip('"')
        if leaf.computed:
            called = leaf.node.type == "call_expression"
            parts = re.split(r"[;,=|:\s]+", text)
            heard = {one for one in (leaf.key, *parts, *(f'"{one}"' for one in parts)) if one in new.known.keys}
            if any(len(one) > _LONG and (is_computed(one) or (called and one[:1] == '"')) for one in heard):
                yield new.flag(leaf.node, _CODED)
        elif leaf.key[:1] == '"' and leaf.key not in new.known.keys and is_printed(text, new.known.keys):
            yield new.flag(leaf.node, _PRINTED)


def _rows(new: New) -> Iterator[Flag]:
    """Lists of lists whose values stand in a test in the same order."""
    for node in new.nodes:
        if node.type in {"array", "composite_literal"} and (node.parent is None or node.parent.type not in _LISTS):
            row = [leaf.key for leaf in leaves(node, _MOST)]
            odd = {one for one in row if is_telling(one) or is_computed(one) or (one.isdigit() and _is_odd(one))}
            nested = sum(part.type in _LISTS for part in nodes(node, _MOST)) > _PINS
            if len(odd) >= _ROW and nested and new.known.holds_row(row):
                yield new.flag(node, _HEART)


def _is_odd(number: str) -> bool:
    """Whether a number has two digits, and is no round one."""
    return len(number) >= _PINS and number[-1] != "0"


def _is_given(new: New, node: Node) -> bool:
    """Whether a literal is a value that goes somewhere: not compared with, not an index, not an error's message."""
    inner, outer = node, node.parent
    while outer is not None and not _is_elsewhere(outer, inner) and outer.type not in _PAIRS:
        if outer.type in _GOING:
            return True
        inner, outer = outer, outer.parent
    paired = outer is not None and outer.type in _PAIRS
    return (
        paired and outer is not None and outer.child_by_field_name("key") != inner and not _mostly_was_there(new, outer)
    )


def _is_elsewhere(outer: Node, inner: Node) -> bool:
    """Whether a part of a node is asked for there, or told to a person, or handed to another function."""
    match outer.type:
        case "binary_expression":
            return text_of(outer.child_by_field_name("operator")) in _COMPARED
        case "switch_case" | "expression_case":
            return outer.child_by_field_name("value") == inner
        case "arguments" | "argument_list":
            return not _hands_on(outer)
        case "new_expression":
            return name_of(outer.child_by_field_name("constructor")) != "Map"
        case kind:
            return kind in {"throw_statement", "subscript_expression", "index_expression"}


def _is_told(node: Node) -> bool:
    """Whether a text is an error's message, or what is handed to something that is made."""
    outer = node.parent
    while outer is not None and outer.type in _HANDED:
        outer = outer.parent
    return outer is not None and outer.type in {"new_expression", "throw_statement"}


def _hands_on(arguments: Node) -> bool:
    """Whether a call gives or keeps what it is given."""
    called = arguments.parent.child_by_field_name("function") if arguments.parent is not None else None
    return name_of(called).rpartition(".")[2] in {"set", "push", "append", "resolve", "freeze", "String", "panic"}
