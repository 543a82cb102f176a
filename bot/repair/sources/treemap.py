"""Outlines of files in JavaScript, TypeScript, Go and Python, read by a parser that goes on where code is broken.

Files are hostile: what is read is bounded in bytes and in nodes. The parser's queries are not used: on a node with many
children they take quadratic time, and their callback for progress crashes the interpreter (tree-sitter 0.26.1).
"""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.repair.sources.grammar import language_of, tree_of
from bot.repair.sources.outline import Definition, Outline

MAX_FILE = 200_000
MAX_BYTES = 1_000_000
MAX_NODES = 1_000_000
"""Well-formed code has some 300 for each kilobyte."""

MAX_NESTED = 12
"""A name is used by the definitions around it, the nearest ones only."""

_NAMES = frozenset(
    {"identifier", "property_identifier", "shorthand_property_identifier", "type_identifier", "field_identifier"}
)
_FUNCTIONS = frozenset(
    {
        "function_declaration", "generator_function_declaration", "method_definition", "method_declaration",
        "function_definition",
    }
)  # fmt: skip
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class_definition", "type_spec"})
# Where a function is given a name: the fields of the name and of what is named.
_BOUND = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "pair": ("key", "value"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
}
_ANONYMOUS = frozenset({"arrow_function", "function_expression", "generator_function"})
_TESTS = frozenset({"it", "test", "describe", "context", "suite", "specify"})
_RECEIVER = re.compile(r"(\w+)(?:\[[^\]]*\])?\s*\)$")


@dataclass(slots=True)
class Budget:
    """What may still be parsed in one go."""

    bytes: int = MAX_BYTES
    nodes: int = MAX_NODES


def outline(path: str, data: bytes, budget: Budget) -> Outline | None:
    """The outline of a file; `None` for one in another language, too long, or where the budget is spent."""
    language = language_of(path)
    if not language or len(data) > min(MAX_FILE, budget.bytes) or b"\0" in data:
        return None
    budget.bytes -= len(data)
    text = data.decode("utf-8", "replace")
    root = tree_of(language, text)
    if root is None:
        # It was too much work, which a few of its kind may be, but not many.
        budget.bytes -= MAX_FILE
        return None
    return _Reading(text.encode()).outline(root, budget)


@dataclass(slots=True)
class _Scope:
    """Something that is named and encloses others up to a byte; classes and types own, but define nothing."""

    end: int
    named_at: int
    name: str
    owner: str
    separator: str
    lines: tuple[int, int]
    defines: bool
    uses: dict[str, None] = field(default_factory=dict)

    @property
    def qualified_name(self) -> str:
        return f"{self.owner}{self.separator}{self.name}" if self.owner else self.name


class _Reading:
    """One walk over one tree."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.scopes: list[_Scope] = []
        self.open: list[_Scope] = []
        self.outside: dict[str, None] = {}

    def outline(self, root: Node, budget: Budget) -> Outline | None:
        cursor = root.walk()
        while budget.nodes > 0 and (node := cursor.node) is not None:
            budget.nodes -= 1
            self._enter(node)
            if cursor.goto_first_child():
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return self._outlined()
        return None

    def _outlined(self) -> Outline:
        definitions = tuple(
            Definition(scope.name, scope.owner, *scope.lines, tuple(scope.uses), scope.separator)
            for scope in self.scopes
            if scope.defines
        )
        classes = dict.fromkeys(scope.name for scope in self.scopes if not scope.defines)
        return Outline(self.data.count(b"\n") + 1, definitions, tuple(self.outside), tuple(classes))

    def _enter(self, node: Node) -> None:
        kind, start = node.type, node.start_byte
        while self.open and self.open[-1].end <= start:
            self.open.pop()
        if kind in _NAMES:
            self._use(node)
        elif kind in _FUNCTIONS or kind in _CLASSES:
            self._begin(node, node.child_by_field_name("name"), defines=kind in _FUNCTIONS)
        elif kind in _BOUND:
            name, value = (node.child_by_field_name(part) for part in _BOUND[kind])
            if value is not None and value.type in _ANONYMOUS:
                self._begin(node, name)
        elif kind == "call_expression":
            self._test(node)

    def _use(self, node: Node) -> None:
        if self.open and self.open[-1].named_at == node.start_byte:
            return
        name = self._text(node)
        around = [scope.uses for scope in self.open[-MAX_NESTED:] if scope.defines]
        for names in around or [self.outside]:
            names[name] = None

    def _begin(self, node: Node, name: Node | None, *, defines: bool = True, separator: str = ".") -> None:
        if name is not None and name.type == "member_expression":
            name = name.child_by_field_name("property")
        if name is None:
            return
        receiver = node.child_by_field_name("receiver")
        found = None if receiver is None else _RECEIVER.search(self._text(receiver))
        owner = found[1] if found else self.open[-1].qualified_name if self.open else ""
        text = self._text(name)
        if separator != ".":
            # A title stands in quotes, and its words may be names, too.
            text = text[1:-1]
        lines = node.start_point.row + 1, node.end_point.row + 1
        self.scopes.append(_Scope(node.end_byte, name.start_byte, text, owner, separator, lines, defines))
        self.open.append(self.scopes[-1])

    def _test(self, node: Node) -> None:
        """`it("title", …)` and its kind, `it.only("title", …)` as well."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is not None and function.type == "member_expression":
            function = function.child_by_field_name("object")
        if function is None or arguments is None or self._text(function) not in _TESTS:
            return
        title = arguments.named_child(0) if arguments.named_child_count else None
        if title is not None and title.type in {"string", "template_string"}:
            self._begin(node, title, separator=" > ")

    def _text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
