"""Bounded YAML: texts, lists and dictionaries only, each text with its line; nothing is ever constructed from a tag."""

from collections.abc import Mapping
from typing import Self

import yaml

from sandbox.detect import work
from sandbox.detect.reading import text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

MAX_SIZE = 64 * 1024
MAX_LINE = 4000
MAX_DEPTH = 24
MAX_NODES = 20_000


class Text(str):
    """A scalar as it is written. `line` counts from 1; a block's is that of its first line of text."""

    __slots__ = ("line",)
    line: int

    def __new__(cls, value: str, line: int = 1) -> Self:
        """A text with its line."""
        made = super().__new__(cls, value)
        made.line = line
        return made


Value = Text | list["Value"] | dict[str, "Value"]


def load(tree: Tree, path: str) -> Value:
    """What the file holds, an empty dictionary where there is none or it is not read.

    Not read are files with aliases, which multiply, and those that are too large, too deep or no YAML: a workflow that
    cannot be read is no reason not to look further.
    """
    return work.once(tree, ("yaml", path), lambda: _loaded(tree, path))


def _loaded(tree: Tree, path: str) -> Value:
    try:
        content = text(tree, path, MAX_SIZE, MAX_LINE)
        node = _checked(content)
    except (DetectionError, yaml.YAMLError, RecursionError, ValueError):
        return {}
    return {} if node is None else _plain(node)


def mapping(value: object) -> Mapping[str, Value]:
    """The value where it is a dictionary, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Value]:
    """The value where it is a list, a list of it where it is one text, else an empty one."""
    if isinstance(value, Text):
        return [value]
    return value if isinstance(value, list) else []


def scalar(value: object) -> Text:
    """The value where it is a text, else an empty one."""
    return value if isinstance(value, Text) else Text("")


class _Bounded(yaml.SafeLoader):
    """Composes nodes, not objects: no tag and no merge key has any effect. One pass finds what is too much."""

    depth = nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.nodes += 1
        self.depth += 1
        if self.check_event(yaml.AliasEvent) or self.depth > MAX_DEPTH + 1 or self.nodes > MAX_NODES:
            msg = "an alias, or too much"
            raise ValueError(msg)
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _checked(content: str) -> yaml.Node | None:
    # Many times as slow as other parsers.
    work.spend(4 * len(content))
    node: yaml.Node | None = yaml.compose(content, Loader=_Bounded)
    return node


def _plain(node: yaml.Node) -> Value:
    if isinstance(node, yaml.MappingNode):
        pairs = ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))
        return {str(key.value): _plain(value) for key, value in pairs}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    block = isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}
    return Text(str(node.value), node.start_mark.line + 1 + block)
