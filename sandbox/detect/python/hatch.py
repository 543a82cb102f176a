"""hatch as the commands that it would run: environments, their dependencies and scripts.

Source: hatch.pypa.io, "Environment configuration".
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from sandbox.detect import work
from sandbox.detect.python.declared import plain_requirements
from sandbox.detect.python.pyproject import Table, table
from sandbox.detect.python.pyproject import hatch as configured
from sandbox.detect.reading import source, text
from sandbox.detect.shell import UNKNOWN, Command
from sandbox.spec import Tree

TEST = "hatch-test"
MAX_DEPTH = 3
MAX_PARTS = 50
MAX_LINE = 2000
_FIELD = re.compile(r"\{(\w*)(?::([^{}]*))?\}")
_OF_TEST = ("pytest", "pytest-mock", "pytest-rerunfailures", "pytest-xdist")


def commands(tree: Tree, words: Sequence[str]) -> tuple[Command, ...]:
    """What `hatch WORDS` installs and runs, for `test` and `run`; nothing for what is not configured."""
    asked = tuple(words)
    return work.once(tree, ("hatch", asked), lambda: _commands(tree, asked))


def _commands(tree: Tree, words: Sequence[str]) -> tuple[Command, ...]:
    kind, rest = (words[0] if words else ""), [word for word in words[1:] if not word.startswith(("-", "+"))]
    if kind == "test":
        return tuple(_Reader(tree, TEST).test(rest))
    if kind == "run" and rest:
        name, mark, script = rest[0].rpartition(":")
        reader = _Reader(tree, name if mark and name else "default")
        return tuple(reader.run([script, *words[words.index(rest[0]) + 1 :]]))
    return ()


def tests(tree: Tree) -> bool:
    """Whether the environment of `hatch test` is configured."""
    return bool(table(configured(tree, "envs")[0], TEST))


class _Reader:
    def __init__(self, tree: Tree, name: str) -> None:
        environments, path, header = configured(tree, "envs")
        self.settings: Table = {**table(environments, "default"), **table(environments, name)}
        self.scripts: Table = {**table(environments, "default", "scripts"), **table(environments, name, "scripts")}
        self.where = source(path, text(tree, path), f"{header}{name}")

    def test(self, rest: Sequence[str]) -> Iterator[Command]:
        yield from self._installed(_OF_TEST)
        arguments = rest or plain_requirements(self.settings.get("default-args")) or ("tests",)
        yield Command(("pytest", *arguments), self._variables(), "", self.where)

    def run(self, words: Sequence[str]) -> Iterator[Command]:
        yield from self._installed(())
        for line in self._lines(shlex.join(words), MAX_DEPTH):
            try:
                split = shlex.split(line)
            except ValueError:
                continue
            if split:
                yield Command(tuple(split), self._variables(), "", self.where)

    def _installed(self, further: Sequence[str]) -> Iterator[Command]:
        wanted = [*further]
        for key in ("dependencies", "extra-dependencies"):
            wanted += plain_requirements(self.settings.get(key))
        if features := plain_requirements(self.settings.get("features")):
            wanted.append(f".[{','.join(features)}]")
        if wanted:
            yield Command(("pip", "install", *wanted), (), "", self.where)

    def _lines(self, line: str, depth: int) -> Iterator[str]:
        """The lines that a line stands for, where its first word names a script of the environment."""
        work.spend(len(line) + 1)
        first, _, rest = line.partition(" ")
        script = self.scripts.get(first)
        if script is None or not depth:
            yield _substituted(line, "")
            return
        for part in [script] if isinstance(script, str) else script[:MAX_PARTS] if isinstance(script, list) else []:
            if isinstance(part, str):
                yield from self._lines(_substituted(part.lstrip("- "), rest), depth - 1)

    def _variables(self) -> tuple[tuple[str, str], ...]:
        found = self.settings.get("env-vars")
        pairs = found.items() if isinstance(found, Mapping) else ()
        return tuple((name, value) for name, value in pairs if isinstance(value, str))


def _substituted(line: str, arguments: str) -> str:
    """`{args}` and `{args:default}` replaced; another field is unknown."""

    def value(match: re.Match[str]) -> str:
        return arguments or match[2] or "" if match[1] == "args" else UNKNOWN

    grown = work.replaced(_FIELD, value, line, MAX_LINE)
    return UNKNOWN if grown is None else grown
