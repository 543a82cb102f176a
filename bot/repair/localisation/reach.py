"""What a test reaches, read off the sources by name: without types, a name stands for all methods of that name."""

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from bot.repair.sources import treemap
from bot.repair.sources.doctests import is_example
from bot.repair.sources.languages import PYTHON
from bot.repair.sources.outline import Outline, of_python
from bot.repair.types import SourceFile

HOP_DECAY = 0.7
MAX_HOPS = 4
MODULE = "<module>"
_SET_UPS = frozenset({"setUp", "setUpClass", "setup_method", "setup_class", "asyncSetUp"})
_ESCAPE = re.compile(r"\\(\\*[>#])")
_NUMBER = re.compile(r" #\d+$")


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
        """Read every file of a language that is understood."""
        graph, budget = cls(), treemap.Budget()
        for path, file in files.items():
            # Python's own parser knows it best; what is too new for this interpreter, the other one reads.
            found = of_python(file.data) if path.endswith(PYTHON) else None
            if found := found or treemap.outline(path, file.data, budget):
                graph._add(path, found)
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
        # An example is about its own function, which has no test around it.
        found: dict[Place, tuple[float, int]] = {start: (1.0, 0) for start in starts if is_example(node_id)}
        queue = deque((start, 0 if found else -1) for start in starts)
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

    def _add(self, path: str, outline: Outline) -> None:
        lines = outline.lines
        self.lines[path] = lines
        module = Place(path, MODULE, 1, lines)
        self.by_path[path] = [module]
        self.by_line[path] = [module] * lines
        self.uses[module] = outline.uses
        for found in outline.definitions:
            place = Place(path, found.qualified_name, found.start_line, found.end_line)
            self.by_path[path].append(place)
            # An inner function comes after the one around it.
            start, last = place.start_line - 1, min(place.end_line, lines)
            self.by_line[path][start:last] = [place] * (last - start)
            self.uses[place] = found.uses
            self.by_name.setdefault(found.name, []).append(place)
            owner = found.owner.rpartition(".")[2]
            if owner and (found.name.startswith("__") or found.name == "constructor"):
                self.classes.setdefault(owner, []).append(place)

    def _starts(self, node_id: str) -> list[Place]:
        """The test's function and what its class sets up; the whole file for a test that is no function."""
        path, names = named(node_id)
        places = self.by_path.get(path, [])
        return [place for place in places if place.name in names] or places

    @property
    def _conftests(self) -> set[str]:
        return {path for path in self.lines if path.rpartition("/")[2] == "conftest.py"}

    def _used(self, place: Place) -> Iterator[Place]:
        """Functions of the names that a function uses: those of its own file first; a class means its dunders."""
        for name in self.uses.get(place, ()):
            hits = self.by_name.get(name, ())
            yield from [hit for hit in hits if hit.path == place.path] or hits
            yield from self.classes.get(name, ())


def named(node_id: str) -> tuple[str, Collection[str]]:
    """A test's file and the qualified names that its function, its class's set-up, or its title may have."""
    path, _, rest = node_id.partition("::")
    if not path.endswith(PYTHON):
        title = _ESCAPE.sub(r"\1", _NUMBER.sub("", rest))
        return path, {title, title.partition("/")[0]}
    if is_example(node_id):
        parts = rest.split(".")
        return path, {".".join(parts[at:]) for at in range(1, len(parts))}
    *owners, name = rest.partition("[")[0].split("::")
    owner = ".".join(owners)
    return path, {".".join([*owners, name]), *(f"{owner}.{set_up}" for set_up in _SET_UPS if owner)}
