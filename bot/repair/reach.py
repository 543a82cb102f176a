"""What a test reaches, read off the sources by name: without types, a name stands for all methods of that name."""

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.repair.syntax import Function, functions, parse
from bot.repair.types import SourceFile

HOP_DECAY = 0.7
MAX_HOPS = 4
MODULE = "<module>"
_SET_UPS = frozenset({"setUp", "setUpClass", "setup_method", "setup_class", "asyncSetUp"})


@dataclass(frozen=True, slots=True)
class Place:
    """A function, or `<module>` for the code outside of functions; lines count from 1, both inclusive."""

    path: str
    name: str
    start_line: int
    end_line: int


@dataclass(slots=True)
class Graph:
    """The functions of some files and the names that each of them uses."""

    uses: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    by_name: dict[str, list[Place]] = field(default_factory=dict)
    classes: dict[str, list[Place]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    by_path: dict[str, list[Place]] = field(default_factory=dict)
    by_line: dict[str, list[Place]] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, SourceFile]) -> "Graph":
        """Read every Python file that parses."""
        graph = cls()
        for path, file in files.items():
            tree = parse(file.data) if path.endswith(".py") else None
            if tree is not None:
                graph._add(path, tree, file.data.count(b"\n") + 1)
        return graph

    @property
    def places(self) -> tuple[Place, ...]:
        """Every function of every file."""
        return tuple(place for place in self.uses if place.name != MODULE)

    def line_count(self, path: str) -> int:
        """The number of lines of a file."""
        return self.lines[path]

    def at(self, path: str, line: int) -> Place | None:
        """The innermost function around a line, `<module>` outside of all, `None` in a file that was not read."""
        places = self.by_line.get(path, [])
        return places[line - 1] if 0 < line <= len(places) else None

    def reached_from(self, node_id: str) -> dict[Place, tuple[float, int]]:
        """What a test uses and what that uses in turn: weight 0.7 a hop, and the hops; fixtures cost none."""
        starts = self._starts(node_id)
        own = {place.path for place in starts} | self._conftests
        found: dict[Place, tuple[float, int]] = {}
        queue = deque((start, -1) for start in starts)
        seen = set(starts)
        while queue:
            place, hops = queue.popleft()
            for used in self._used(place):
                if used in seen:
                    continue
                seen.add(used)
                is_fixture = hops == -1 and used.path in own
                step = hops if is_fixture else hops + 1
                if not is_fixture:
                    found[used] = (HOP_DECAY**step, step)
                if step < MAX_HOPS:
                    queue.append((used, step))
        return found

    def _add(self, path: str, tree: ast.Module, lines: int) -> None:
        self.lines[path] = lines
        module = Place(path, MODULE, 1, lines)
        self.by_path[path] = [module]
        self.by_line[path] = [module] * lines
        self.uses[module] = tuple(dict.fromkeys(_outside(tree)))
        for function in functions(tree):
            place = Place(path, function.qualified_name, function.start_line, function.end_line)
            self.by_path[path].append(place)
            # An inner function comes after the one around it.
            start, last = place.start_line - 1, min(place.end_line, lines)
            self.by_line[path][start:last] = [place] * (last - start)
            self.uses[place] = tuple(dict.fromkeys(_names(function)))
            self.by_name.setdefault(function.name, []).append(place)
            owner = function.owner.rpartition(".")[2]
            if owner and function.name.startswith("__"):
                self.classes.setdefault(owner, []).append(place)

    def _starts(self, node_id: str) -> list[Place]:
        """The test's function and what its class sets up; the whole file for a test that is no function."""
        path, *names = node_id.split("[", 1)[0].split("::")
        owner = ".".join(names[:-1])
        wanted = {".".join(names)} | {f"{owner}.{name}" for name in _SET_UPS if owner}
        places = self.by_path.get(path, [])
        return [place for place in places if place.name in wanted] or places

    @property
    def _conftests(self) -> set[str]:
        return {path for path in self.lines if path.rpartition("/")[2] == "conftest.py"}

    def _used(self, place: Place) -> Iterator[Place]:
        """Functions of the names that a function uses: those of its own file first; a class means its dunders."""
        for name in self.uses.get(place, ()):
            hits = self.by_name.get(name, ())
            yield from [hit for hit in hits if hit.path == place.path] or hits
            yield from self.classes.get(name, ())


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
