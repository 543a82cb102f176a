"""Commands of other programs in our own terms: which suite they run, and what they install for it.

Nothing is taken over as it stands: a command that is not understood says nothing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sandbox.detect import justfile, makefile, shell, work
from sandbox.detect.python import hatch, installs, nox, suites, tox
from sandbox.detect.python.installs import Wanted
from sandbox.detect.python.suites import Places, Suite
from sandbox.detect.python.wrappers import behind, unwrap
from sandbox.detect.reading import text
from sandbox.detect.shell import UNKNOWN, Command
from sandbox.errors import DetectionError

MAX_COMMANDS = 400
MAX_DEPTH = 4
MAX_SUITES = 20
_SHELLS = frozenset({"sh", "bash", "source", "."})
_VALUES = {"tox": ("-e", "-c", "-x", "--skip-env", "-f", "-m"), "nox": ("-s", "-e", "--session", "-f", "--tags", "-t")}
_NAMED = {"tox": tox.commands, "nox": nox.commands}
_TARGETED = {"make": makefile.MAKE.commands, "gmake": makefile.MAKE.commands, "just": justfile.JUST.commands}
_NAMING = frozenset({"-e", "-s", "--session", "--sessions", "-se", "-rs", "-re"})
_FLAG = re.compile(r"-|\w+=")
_WORD = re.compile(r"[\w.-]+(?:,[\w.-]+)*")


@dataclass(slots=True)
class Facts:
    """What commands say: the suites that they run, what they install, and which Debian packages."""

    suites: list[Suite] = field(default_factory=list)
    wanted: Wanted = field(default_factory=Wanted)
    system: dict[str, str] = field(default_factory=dict)


def facts(places: Places, commands: Iterable[Command]) -> Facts:
    """Everything that the commands say, those of the tox, nox, make, hatch and script files that they call included."""
    reader = _Reader(places)
    reader.read(commands, MAX_DEPTH)
    return reader.facts


class _Reader:
    def __init__(self, places: Places) -> None:
        self.places, self.tree = places, places.tree
        self.facts = Facts()
        self.left = MAX_COMMANDS

    def read(self, commands: Iterable[Command], depth: int) -> None:
        for command in commands:
            self.left -= 1
            if self.left < 0:
                return
            work.spend(10 + sum(map(len, command.words)) + len(command.environment))
            words, environment, options = unwrap(command.words)
            if words:
                own = Command(words, (*command.environment, *environment), command.directory, command.source)
                installs.run_options(self.facts.wanted, options, command.source)
                self._one(own, depth)

    def _one(self, command: Command, depth: int) -> None:
        first, rest = command.words[0], command.words[1:]
        if first in {"pytest", "py.test"}:
            self._suite(suites.pytest(rest, self.places, command.directory), "python", command)
        elif first == "unittest":
            self._suite(suites.unittest(rest, command.directory), "unittest", command)
        elif first in {"apt-get", "apt"} and "install" in rest:
            packages = (word for word in rest[rest.index("install") + 1 :] if _WORD.fullmatch(word))
            self.facts.system |= {word: command.source for word in packages if not word.startswith("-")}
        elif not installs.read(self.facts.wanted, command, self.tree) and depth:
            self.read(self._expanded(command), depth - 1)

    def _suite(self, command: Sequence[str] | None, ecosystem: str, told: Command) -> None:
        # A place that is not known leaves a command that says something else than the repository did.
        if command is None or any(UNKNOWN in word for word in command):
            return
        if len(self.facts.suites) < MAX_SUITES:
            self.facts.suites.append(Suite(tuple(command), ecosystem, told.environment, told.source))

    def _expanded(self, command: Command) -> Iterable[Command]:
        """What another program's own file says that it would run; only at the root."""
        first, rest = command.words[0], command.words[1:]
        if command.directory not in {"", "."}:
            return ()
        if first in _TARGETED:
            return _with(_TARGETED[first](self.tree, [word for word in rest if not _FLAG.match(word)]), command)
        if first in _VALUES:
            return _with(_NAMED[first](self.tree, _names(rest, _VALUES[first])), command)
        if first == "hatch":
            return _with(hatch.commands(self.tree, rest), command)
        if inner := behind(command.words):
            return (replace(command, words=inner),)
        return self._script(shell.below("", rest[0] if first in _SHELLS and rest else first), command)

    def _script(self, path: str, command: Command) -> Iterable[Command]:
        if UNKNOWN in path or path not in self.tree or path.endswith(".py"):
            return ()
        try:
            content = text(self.tree, path, shell.MAX_TEXT)
        except DetectionError:
            return ()
        return shell.commands(content, shell.Place(path, 1, dict(command.environment)))


def _with(found: Iterable[Command], outer: Command) -> Iterable[Command]:
    """Commands with the variables of the one that stands for them."""
    for one in found:
        work.spend(len(outer.environment) + len(one.environment) + 1)
        yield Command(one.words, (*outer.environment, *one.environment), one.directory, one.source)


def _names(words: Sequence[str], with_value: Sequence[str]) -> list[str]:
    """The environments or sessions that the options of tox or nox name."""
    names: list[str] = []
    waiting = iter(range(len(words)))
    for at in waiting:
        word = words[at]
        option, mark, value = word.partition("=")
        if word == "--":
            break
        if option in _NAMING and mark:
            names += value.split(",")
        elif word in _NAMING or word in with_value:
            following = words[at + 1 : at + 2]
            next(waiting, None)
            names += following[0].split(",") if word in _NAMING and following else []
        elif word.startswith("-e") and len(word) > len("-e"):
            names += word[2:].split(",")
    return names
