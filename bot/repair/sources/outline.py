"""What a file defines and which names each definition uses: all that localisation needs to know of a language."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.repair.sources.syntax import Function, functions, parse


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, a method, or a test that has a title; lines count from 1, both inclusive.

    `owner` is the qualified name of what encloses it, `uses` are names in order, each once.
    """

    name: str
    owner: str
    start_line: int
    end_line: int
    uses: tuple[str, ...]
    separator: str = "."

    @property
    def qualified_name(self) -> str:
        """The name below its owner's."""
        return f"{self.owner}{self.separator}{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True)
class Outline:
    """A file: how many lines, its definitions in order of appearance, and the names used outside of all of them.

    `classes` are the names of its classes and types.
    """

    lines: int
    definitions: tuple[Definition, ...]
    uses: tuple[str, ...]
    classes: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """What it defines, by last names."""
        return frozenset({*(definition.name for definition in self.definitions), *self.classes})


def of_python(data: bytes) -> Outline | None:
    """The outline of a file that this interpreter can parse."""
    tree = parse(data)
    if tree is None:
        return None
    aliases = _aliases(tree)
    found = tuple(
        Definition(one.name, one.owner, one.start_line, one.end_line, _unique(_names(one), aliases))
        for one in functions(tree)
    )
    classes = (node.name for node in tree.body if isinstance(node, ast.ClassDef))
    return Outline(data.count(b"\n") + 1, found, _unique(_outside(tree), aliases), _unique(classes, {}))


def _aliases(tree: ast.Module) -> dict[str, str]:
    """What a module calls by another name than the one under which it is imported."""
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return {alias.asname: alias.name for node in imports for alias in node.names if alias.asname}


def _unique(names: Iterator[str], aliases: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(aliases.get(name, name) for name in names))


def _names(function: Function) -> Iterator[str]:
    """Names and attributes that a function loads; its parameters count, as they may be fixtures."""
    arguments = function.node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        yield argument.arg
    yield from _loaded(function.node)


def _outside(tree: ast.Module) -> Iterator[str]:
    """Names that a module's own statements load, outside of its functions and classes."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _loaded(node)


def _loaded(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part.id
        if isinstance(part, ast.Attribute):
            yield part.attr
