"""The pieces of sources in JavaScript, TypeScript and Go, and of Python that this interpreter cannot parse."""

from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from bot.repair.editing.indentation import indent_of
from bot.repair.editing.pieces import Kind, Lines, Piece, tail_of
from bot.repair.sources.grammar import SCRIPTS, tree_of

MAX_DEPTH = 20
MAX_PIECES = 5000
_FUNCTIONS = frozenset({
    "function_declaration", "generator_function_declaration", "method_definition", "method_declaration",
    "function_definition",
})  # fmt: skip
_VALUES_OF_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class_definition"})
_NAMED = frozenset({"interface_declaration", "type_alias_declaration", "enum_declaration"})
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_FIELDS = frozenset({"field_definition", "public_field_definition"})
_GROUPS = frozenset({"type_declaration", "const_declaration", "var_declaration"})
_SKIPPED = frozenset({"comment", "package_clause", "hash_bang_line", "empty_statement"})
_STRINGS = frozenset({"template_string", "raw_string_literal", "string"})
_ROLES = frozenset({"static", "get", "set"})
_LEAVES = frozenset({"return_statement", "raise_statement"})
WRAPPER = ("class _ {",)


@lru_cache(maxsize=64)
def of_script(language: str, lines: Lines) -> tuple[Piece, ...] | None:
    """The pieces of a source, those around others first; `None` where it does not parse as a whole."""
    root = tree_of(language, "\n".join(lines))
    if root is None or root.has_error:
        return None
    found: list[Piece] = []
    for piece in _Reader(lines).inside(root, "", 0):
        found.append(piece)
        if len(found) > MAX_PIECES:
            return None
    return tuple(found)


class _Reader:
    """Reads the statements of one source; `lines` say whether a node has its lines to itself."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines

    def inside(self, node: Node, prefix: str, depth: int, *, direct: bool = True) -> Iterator[Piece]:
        """The pieces of a body."""
        if depth < MAX_DEPTH:
            for child in node.named_children:
                if child.type not in _SKIPPED:
                    yield from self.statement(child, child, prefix, depth, direct=direct)

    def statement(self, node: Node, outer: Node, prefix: str, depth: int, *, direct: bool) -> Iterator[Piece]:
        """The pieces of a statement; `outer` is what its lines are, with `export` or decorators around it."""
        inner = node.child_by_field_name("declaration") or node.child_by_field_name("definition")
        if node.type in {"export_statement", "decorated_definition"} and inner is not None:
            yield from self.statement(inner, node, prefix, depth, direct=direct)
        elif node.type == "import_declaration":
            yield from (self.piece(Kind.IMPORT, spec, "", binds=(_of_go(spec),)) for spec in _specs(node))
        elif node.type in {"import_statement", "import_from_statement"}:
            yield self.piece(Kind.IMPORT, outer, "", binds=_identifiers(node))
        elif (function := _function_in(node)) is not None:
            yield from self.function(node, function, outer, prefix, depth, direct=direct)
        elif node.type in _CLASSES:
            yield from self.owner(node, outer, prefix, depth, direct=direct)
        elif direct:
            yield self.other(node, outer, prefix)

    def function(
        self, node: Node, function: Node, outer: Node, prefix: str, depth: int, *, direct: bool
    ) -> Iterator[Piece]:
        """A function, and the functions inside of it."""
        owner, name = _name_of(node)
        qualified = f"{owner or prefix}{name}"
        body = function.child_by_field_name("body")
        method = node.type in {"method_definition", *_FIELDS} or bool(owner)
        words = (_text(child) for child in node.children if child.type in _ROLES)
        yield self.piece(Kind.FUNCTION, outer, qualified, head=node, direct=direct, method=method,
                         role=" ".join(words), body=body)  # fmt: skip
        if body is not None:
            yield from self.inside(body, f"{qualified}.", depth + 1, direct=False)

    def owner(self, node: Node, outer: Node, prefix: str, depth: int, *, direct: bool) -> Iterator[Piece]:
        """A class and what is in it."""
        name, body = f"{prefix}{_text(node.child_by_field_name('name'))}", node.child_by_field_name("body")
        yield self.piece(Kind.CLASS, outer, name, head=node, direct=direct)
        if body is not None:
            yield from self.inside(body, f"{name}.", depth + 1, direct=direct)

    def other(self, node: Node, outer: Node, prefix: str) -> Piece:
        """A constant or a type with one name, a CommonJS import, or anything else."""
        if node.type in _NAMED:
            return self.piece(Kind.VALUE, outer, f"{prefix}{_text(node.child_by_field_name('name'))}", head=node)
        if node.type in _DECLARATIONS | _GROUPS:
            specs = [child for child in node.named_children if child.child_by_field_name("name") is not None]
            name = specs[0].child_by_field_name("name") if len(specs) == 1 else None
            value = specs[0].child_by_field_name("value") if name is not None else None
            if value is not None and _text(value).startswith("require("):
                return self.piece(Kind.IMPORT, outer, "", binds=_identifiers(name or node))
            if name is not None and name.type in {"identifier", "type_identifier"}:
                return self.piece(Kind.VALUE, outer, f"{prefix}{_text(name)}", head=node)
            return self.piece(Kind.OTHER, outer, "", binds=_identifiers(node))
        if node.type in _FIELDS:
            name = node.child_by_field_name("name") or node.child_by_field_name("property")
            return self.piece(Kind.VALUE, outer, f"{prefix}{_text(name)}")
        return self.piece(Kind.FILLER if _text(node).strip("'\"; ") == "use strict" else Kind.OTHER, outer, "")

    def piece(  # noqa: PLR0913 (a piece has that many facts, each named)
        self,
        kind: Kind,
        outer: Node,
        name: str,
        *,
        head: Node | None = None,
        direct: bool = True,
        method: bool = False,
        role: str = "",
        binds: tuple[str, ...] = (),
        body: Node | None = None,
    ) -> Piece:
        """A piece of whole lines; of what shares its lines with something else only the names are known."""
        start, end = outer.start_point.row + 1, outer.end_point.row + 1
        if not self._alone(outer) and kind is not Kind.IMPORT:
            kind, name, binds = Kind.OTHER, "", (*binds, name.rpartition(".")[2])
        first = head.start_point.row + 1 if head is not None else start
        verbatim = _inside_strings(outer) if kind is Kind.FUNCTION else frozenset()
        return Piece(kind, name, start, end, first, direct, method, role, self._unit(outer, body), verbatim, binds,
                     tail=self._tail(head, first, end), lead=_lead(outer, head) if name else "")  # fmt: skip

    def _tail(self, head: Node | None, first: int, end: int) -> int:
        """Braces hold a script's comments; Python's may stand below."""
        body = head.child_by_field_name("body") if head is not None and head.type == "function_definition" else None
        if body is None or (body.named_children and body.named_children[-1].type in _LEAVES):
            return end
        return tail_of(self.lines, first, end)

    def _alone(self, node: Node) -> bool:
        (first, column), (last, end) = node.start_point, node.end_point
        before = self.lines[first].encode("utf-8", "replace")[:column]
        behind = self.lines[last].encode("utf-8", "replace")[end:] if last < len(self.lines) else b""
        return not before.strip() and behind.strip() in {b"", b";"}

    def _unit(self, outer: Node, body: Node | None) -> str:
        first = next((child for child in body.named_children), None) if body is not None else None
        if first is None or first.start_point.row == outer.start_point.row:
            return ""
        return indent_of(self.lines[first.start_point.row])[len(indent_of(self.lines[outer.start_point.row])) :]


def _function_in(node: Node) -> Node | None:
    """The function that a statement is: declared, or the value of its one name, property or field."""
    if node.type in _FUNCTIONS:
        return node
    holder: Node | None = node if node.type in _FIELDS else None
    if node.type in _DECLARATIONS and len(node.named_children) == 1:
        holder = node.named_children[0]
    if node.type == "expression_statement" and node.named_children:
        holder = node.named_children[0]
    value = holder and (holder.child_by_field_name("value") or holder.child_by_field_name("right"))
    return value if value is not None and value.type in _VALUES_OF_FUNCTIONS else None


def _name_of(node: Node) -> tuple[str, str]:
    """The owner, with its dot, that a function itself names (Go's receiver, a prototype), and its name."""
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        words = _identifiers(receiver, "type_identifier")
        return f"{words[0]}." if words else "", _text(node.child_by_field_name("name"))
    holder = node.named_children[0] if node.type in {*_DECLARATIONS, "expression_statement"} else node
    name = holder.child_by_field_name("name") or holder.child_by_field_name("property")
    if name is not None:
        return "", _text(name)
    *owners, last = _text(holder.child_by_field_name("left")).replace(".prototype", "").split(".")
    owner = ".".join(part for part in owners if part not in {"module", "exports"})
    return (f"{owner}." if owner else ""), last


def _lead(outer: Node, head: Node | None) -> str:
    """What stands on the line before what is defined: `export default `, or `exports.name = `."""
    if head is None:
        return ""
    left = head.named_children[0].child_by_field_name("left") if head.type == "expression_statement" else None
    if left is not None:
        return f"{_text(left)} = "
    before = _text(outer).encode()[: head.start_byte - outer.start_byte].decode()
    return before.rpartition("\n")[2] if outer.type == "export_statement" else ""


def _specs(node: Node) -> list[Node]:
    """The single imports of a Go declaration, which may be a group."""
    groups = [node, *(child for child in node.named_children if child.type == "import_spec_list")]
    return [spec for group in groups for spec in group.named_children if spec.type == "import_spec"]


def _of_go(spec: Node) -> str:
    alias = _text(spec.child_by_field_name("name"))
    return alias or _text(spec.child_by_field_name("path")).strip('"`').rpartition("/")[2]


def _identifiers(node: Node, *kinds: str) -> tuple[str, ...]:
    wanted = kinds or ("identifier", "shorthand_property_identifier_pattern", "type_identifier")
    return tuple(dict.fromkeys(_text(part) for part in _parts(node) if part.type in wanted))


def _inside_strings(node: Node) -> frozenset[int]:
    strings = [part for part in _parts(node) if part.type in _STRINGS]
    return frozenset(row + 1 for part in strings for row in range(part.start_point.row + 1, part.end_point.row + 1))


def _parts(node: Node) -> Iterator[Node]:
    """A node and all below it, without recursion."""
    left = [node]
    while left:
        part = left.pop()
        yield part
        left.extend(reversed(part.children))


def _text(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def wrapped(language: str, lines: Lines) -> Lines:
    """A bare method of a script as a class that holds it; other sources as they are."""
    if language in SCRIPTS and of_script(language, lines) is None:
        return (*WRAPPER, *lines, "}")
    return lines
