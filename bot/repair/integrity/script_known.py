"""What the failing tests of JavaScript, TypeScript and Go hand in and expect: their literals, whatever their roles.

The bodies of other tests are left out where those of the targets are found, so that no literal of theirs counts.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.repair.integrity.script_values import MAX_NODES, Leaf, leaves, name_of, nodes, text_of, value_of
from bot.repair.sources.grammar import language_of, tree_of
from bot.repair.types import SourceFile

SMALL = frozenset({"0", "1", "2", '""'})
"""Literals that stand in half of all programs, and say nothing."""
_TESTS, _GROUPS = frozenset({"test", "it", "specify"}), frozenset({"describe", "suite", "context"})
_COMMON = frozenset({
    "100", "127", "128", "255", "256", "360", "365", "366", "400", "401", "403", "404", "409", "422", "429", "500",
    "502", "503", "1440", "8760",
})  # fmt: skip
_FRAMEWORK = r"(?:assert|expect|t|tt|test|it|describe|require|fmt|errors|console)\b|.*\.(?:to[A-Z]\w*|equal|same|is)$"
_FEW, _LONG, _SHORT, _LETTERS, _DIGITS = 2, 3, 4, 5, 5


@dataclass(frozen=True, slots=True)
class Known:
    """`keys` are those of the literals (see `bot.repair.integrity.script_values.key`), `row` the same in order.

    `phrases` are texts as words, each as often as there are different texts of these words; `inputs` are the literals
    that other calls than assertions are given.
    """

    keys: frozenset[str] = frozenset()
    row: str = ""
    phrases: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    inputs: frozenset[str] = frozenset()

    def holds_row(self, keys: Sequence[str]) -> bool:
        """Whether these literals stand one after the other in a test."""
        return _row(keys) in self.row

    def is_derived(self, key: str) -> bool:
        """Whether a test expects this text or number, and hands in another text that it is made of."""
        if key not in self.keys:
            return False
        if key[:1] == '"':
            return self.is_phrase(words(key))
        return len(key) >= _DIGITS and any(
            len(said) > 1 and "".join(one for one in said if one.isdigit()) == key for said in self.phrases
        )

    def is_phrase(self, said: tuple[str, ...]) -> bool:
        """Whether a test expects a text of these words, which are those of another text that it hands in."""
        if len("".join(said)) < _LETTERS or said not in self.phrases:
            return False
        wanted, together = set(said), "".join(said)
        several = len(said) >= _FEW
        holding = (
            count
            for other, count in self.phrases.items()
            if "".join(other) == together or (several and wanted <= set(other))
        )
        return sum(holding) > 1


def known_of(tests: Sequence[SourceFile], names: Collection[str]) -> Known:
    """Read from the targets' files; `names` are the last parts of their node ids."""
    found: list[Leaf] = []
    for file in tests:
        language = language_of(file.path)
        root = tree_of(language, file.data.decode("utf-8", "replace")) if language else None
        if root is not None and language != "python":
            found.extend(leaf for part in _parts(root, names) for leaf in leaves(part))
    keys = [leaf.key for leaf in found]
    texts = {one for one in keys if one[:1] == '"'}
    phrases = Counter(said for one in texts if (said := words(one)))
    inputs = frozenset(leaf.key for leaf in found if _is_input(leaf.node))
    return Known(frozenset(keys) - SMALL, _row(keys), phrases, inputs)


def _is_input(node: Node) -> bool:
    """Whether a literal is what a call is given that is none of the test framework's."""
    inside = node.parent
    if inside is None or inside.type not in {"arguments", "argument_list"} or inside.parent is None:
        return False
    if inside.parent.type == "new_expression":
        return False
    called = name_of(inside.parent.child_by_field_name("function"))
    return re.match(_FRAMEWORK, called) is None


def words(text: str) -> tuple[str, ...]:
    """The words of a text, in small letters without accents."""
    return tuple(re.findall(r"[^\W_]+", plain(text)))


def plain(text: str) -> str:
    """A text without accents, in small letters."""
    apart = unicodedata.normalize("NFKD", text.strip('"')).casefold()
    return "".join(one for one in apart if not unicodedata.combining(one))


def is_printed(text: str, known: Collection[str]) -> bool:
    """Whether a text is several values of a test, as JSON or as a language prints them."""
    numbers = re.findall(r"\d+", text)
    if not re.sub(r"[\d\W_]", "", text):
        long = {one for one in numbers if len(one) >= _FEW and one in known}
        return len(long) >= _LONG and all(one in known or one in SMALL for one in numbers)
    try:
        value = json.loads(text) if text[:1] in {"[", "{"} else None
    except (ValueError, RecursionError):
        return False
    said = [str(one) if isinstance(one, int | float) else f'"{one}"' for one in _scalars(value)]
    return any(one in known for one in said) and all(one in known or one in SMALL for one in said)


def _scalars(value: object) -> Iterator[object]:
    todo = [value]
    while todo:
        match todo.pop():
            case dict() as table:
                todo.extend(table.values())
            case list() as items:
                todo.extend(items)
            case None | bool():
                continue
            case other:
                yield other


def is_telling(leaf: str) -> bool:
    """Whether a literal is one that nobody writes by chance."""
    return len(leaf) > _SHORT or (leaf.isdigit() and len(leaf) > _LONG)


def is_computed(key: str) -> bool:
    """Whether a number is no round one, no power of two and none that many programs hold."""
    if not key[:1].isdigit() or key in _COMMON:
        return False
    if not key.isdigit():
        return len(key) > _LONG
    value = int(key[:40])
    return len(key) >= _LONG and value % 100 != 0 and value & (value - 1) != 0 and value & (value + 1) != 0


def in_parts(leaf: str, known: Collection[str]) -> list[str]:
    """A text that is made of nothing but numbers of the test, as `"4,3"`, counts as these."""
    numbers = re.findall(r"\d+", leaf) if leaf[:1] == '"' else []
    made_of = len(numbers) > 1 and not re.sub(r"[\d\W_]", "", leaf) and all(one in known for one in numbers)
    return numbers if made_of else [leaf]


def _row(keys: Sequence[str]) -> str:
    return "\0" + "\0".join(keys) + "\0"


def _parts(root: Node, names: Collection[str]) -> Iterator[Node]:
    """The tests that are targets, and what belongs to no test; all of it where none is a target by its name."""
    titled = list(_titled(root))
    found = any(_is_target(title, names) for _, _, title in titled)
    left_out = {word.id for _, word, _ in titled if word is not None}
    left_out |= {node.id for node, word, title in titled if found and not _is_target(title, names) and not _holds(node)}
    todo = [root]
    for _ in range(MAX_NODES):
        if not todo:
            return
        node = todo.pop()
        if node.id in left_out:
            continue
        if value_of(node) is None and node.child_count:
            todo.extend(reversed(node.children))
        else:
            yield node


def _holds(node: Node) -> bool:
    """Whether a call groups tests."""
    return name_of(node.child_by_field_name("function")) in _GROUPS


def _titled(root: Node) -> Iterator[tuple[Node, Node | None, str]]:
    """Every test, and every group of tests, with the literal that is its name."""
    for node in nodes(root):
        if node.type == "function_declaration" and text_of(node.child_by_field_name("name")).startswith("Test"):
            yield node, None, text_of(node.child_by_field_name("name"))
        elif node.type == "call_expression" and name_of(node.child_by_field_name("function")) in _TESTS | _GROUPS:
            inside = node.child_by_field_name("arguments")
            first = inside.named_children[0] if inside is not None and inside.named_child_count else None
            title = value_of(first) if first is not None else None
            if isinstance(title, str):
                yield node, first, title


def _is_target(title: str, names: Collection[str]) -> bool:
    return any(name.startswith(f"{title}/") or name.endswith(title) for name in names)
