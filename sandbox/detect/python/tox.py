"""tox as the commands that it would run: its environments, factors and substitutions, in ini and in TOML.

Source: tox.wiki, "Configuration".
"""

import re
import shlex
import tomllib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from sandbox.detect import work
from sandbox.detect.naming import Rank, rank
from sandbox.detect.python.legacy import ini, ini_text
from sandbox.detect.python.pyproject import load, table
from sandbox.detect.python.wrappers import runs_tests
from sandbox.detect.reading import source, text
from sandbox.detect.shell import ROOT, UNKNOWN, Command, below
from sandbox.errors import DetectionError
from sandbox.spec import Tree

Section = Mapping[str, object]

MAX_DEPTH = 5
MAX_ALTERNATIVES = 64
MAX_LINES = 1000
MAX_TRIED = 8
MAX_ENTRY = 4000
_REFERENCE = re.compile(r"\{\[([^\]{}]+)\]([^{}]+)\}")
_FIELD = re.compile(r"\{([^{}\[]*)\}")
# What is installed is what lies in the tree, since the install is editable.
_KNOWN = dict.fromkeys(("toxinidir", "tox_root", "envsitepackagesdir", "env_site_packages_dir"), ROOT)
_KNOWN |= {"envpython": "python", "env_python": "python"}
_BRACES = re.compile(r"\{([^{}]*)\}")
_CONDITION = re.compile(r"([\w{},.!-]+)\s*:(?:\s+|$)(.*)")
_RANGE = re.compile(r"(\d{1,3})-(\d{1,3})")
_LIST_KEYS = ("deps", "extras", "dependency_groups")


def commands(tree: Tree, wanted: Sequence[str]) -> tuple[Command, ...]:
    """What the first of these environments installs and runs, the one for this Python where none is wanted."""
    asked = tuple(wanted)
    return work.once(tree, ("tox", asked), lambda: _commands(tree, asked))


def _commands(tree: Tree, wanted: Sequence[str]) -> tuple[Command, ...]:
    try:
        path, sections = work.once(tree, "toxsections", lambda: _sections(tree))
    except (DetectionError, ValueError, RecursionError):
        return ()
    if not sections:
        return ()
    where = source(path, text(tree, path), "[testenv", "commands") if path.endswith((".ini", ".cfg")) else f"{path}:1"
    asked = [one for one in wanted if UNKNOWN not in one]
    names = asked[:1] or _environments(sections)[:MAX_TRIED] or ["py311"]
    found = (_of_environment(tree, sections, name.partition(",")[0], where) for name in names)
    first = next(found)
    return next((one for one in (first, *found) if any(runs_tests(command.words) for command in one)), first)


def _of_environment(tree: Tree, sections: Mapping[str, Section], name: str, where: str) -> tuple[Command, ...]:
    factors = {*name.split("-"), name, "py311", "linux"}
    return tuple(_Reader(tree, sections, factors, where).commands(name))


def _sections(tree: Tree) -> tuple[str, dict[str, Section]]:
    """Where tox is configured, in its own order, with `testenv` and `testenv:NAME` as keys."""
    if found := ini(tree, "tox.ini"):
        return "tox.ini", dict(found)
    if (configured := ini(tree, "setup.cfg")) and "testenv" in configured:
        return "setup.cfg", {"tox": configured.get("tox:tox", {}), **configured}
    tool = table(load(tree), "tool", "tox")
    if isinstance(legacy := tool.get("legacy_tox_ini"), str):
        return "pyproject.toml", dict(ini_text(legacy))
    native = tool or tomllib.loads(text(tree, "tox.toml"))
    if not native:
        return "", {}
    named = {f"testenv:{name}": value for name, value in table(native, "env").items() if isinstance(value, Mapping)}
    return "tox.toml" if "tox.toml" in tree and not tool else "pyproject.toml", {
        "tox": native,
        "testenv": table(native, "env_run_base"),
        **named,
    }


def _environments(sections: Mapping[str, Section]) -> list[str]:
    """The listed names: what lints or documents last, this Python's first, then what is named after tests."""
    tox = sections.get("tox", {})
    listed = tox.get("env_list") or tox.get("envlist") or ""
    names = list(_expanded(listed) if isinstance(listed, str) else map(str, _entries(listed)))
    return sorted(names, key=_order)


def _order(name: str) -> tuple[bool, bool, bool]:
    ranked = rank(name)
    return ranked is Rank.ELSE, "311" not in name and "3.11" not in name, not name.startswith(("py", "test"))


def _expanded(listed: str) -> Iterator[str]:
    """The names of an environment list; of `{a,b}` the alternative that fits this Python."""

    def choose(match: re.Match[str]) -> str:
        options = [option for part in match[1].split(",") for option in _range(part.strip())]
        before = match.string[max(0, match.start() - len("3.1")) : match.start()]
        ours = next((option for option in options if _is_ours(before, option)), "")
        # Else the newest Python, or the first of what else there is to choose from.
        return ours or options[-1 if options[-1][-1:].isdigit() else 0]

    for name in re.split(r"[\s,]+", _BRACES.sub(choose, listed)):
        if name:
            yield name


def _range(part: str) -> list[str]:
    """`9-12` as its numbers, anything else as it is."""
    match = _RANGE.fullmatch(part)
    return list(map(str, range(int(match[1]), int(match[2]) + 1)))[:MAX_ALTERNATIVES] or [part] if match else [part]


def _is_ours(before: str, option: str) -> bool:
    return option in {"311", "py311", "3.11", "11"} or (option == "1" and before.endswith(("31", "3.1")))


def _entries(value: object) -> Iterator[object]:
    if isinstance(value, str):
        yield from (line for raw in value.replace("\\\n", " ").splitlines() if (line := raw.split(" #")[0].strip()))
    elif isinstance(value, Sequence):
        yield from value


class _Reader:
    """Resolves one environment's settings."""

    def __init__(self, tree: Tree, sections: Mapping[str, Section], factors: set[str], where: str) -> None:
        self.tree, self.sections, self.factors, self.where = tree, sections, factors, where
        # What refers to itself multiplies: this is all that one environment may hold.
        self.left = MAX_LINES

    def commands(self, name: str) -> Iterator[Command]:
        environment = tuple(self._variables(name).items())
        for key, flag in (("deps", ()), ("dependency_groups", ("--group",)), ("extras", ())):
            words = [word for line in self._lines(name, key) for word in self._words(line, key)]
            if key == "extras" and words:
                words = [f".[{','.join(words)}]"]
            wanted = [part for word in words if word.strip() for part in (*flag, word.strip())]
            if wanted:
                yield Command(("pip", "install", *wanted), (), "", self.where)
        # A directory of tox's own is somewhere to be away from the sources, of which paths then are absolute.
        directory = below("", "".join(map(str, self._lines(name, "changedir") or self._lines(name, "change_dir"))))
        directory = directory if any(path.startswith(f"{directory}/") for path in self.tree) else ""
        for key in ("commands_pre", "commands"):
            for line in self._lines(name, key):
                words = self._words(line, key)
                # What may fail is marked by a word or a letter in front.
                words = [word for word in (words[0].lstrip("-!"), *words[1:]) if word] if words else []
                if words:
                    yield Command(tuple(words), environment, directory, self.where)

    def _lines(self, name: str, key: str) -> list[object]:
        """A setting of the environment, else of the base; lines of other factors left out."""
        for section in (f"testenv:{name}", "testenv"):
            found = self.sections.get(section, {})
            if key in found:
                return [line for entry in _entries(found[key]) for line in self._resolved(entry, MAX_DEPTH)]
        return []

    def _resolved(self, entry: object, depth: int) -> Iterator[object]:
        work.spend(len(entry) + 1 if isinstance(entry, str) else 1)
        self.left -= 1
        if self.left < 0 or not isinstance(entry, str):
            yield from () if self.left < 0 else (entry,)
            return
        if match := _CONDITION.fullmatch(entry):
            if not self._holds(match[1]):
                return
            entry = match[2]
        reference = _REFERENCE.fullmatch(entry.strip())
        if reference and depth:
            there = self.sections.get(reference[1], {}).get(reference[2], "")
            for line in _entries(there):
                yield from self._resolved(line, depth - 1)
        elif entry:
            yield _substituted(entry)

    def _holds(self, condition: str) -> bool:
        """Whether one of a condition's alternatives has all its factors here; braces are alternatives within one."""
        for option in _alternatives(condition):
            parts = [part for part in option.split("-") if part]
            if all((part.lstrip("!") in self.factors) is not part.startswith("!") for part in parts):
                return True
        return False

    def _words(self, line: object, key: str) -> list[str]:
        if isinstance(line, str) and key not in {"commands", "commands_pre"}:
            return [part.strip() for part in re.split(r"[,\n]", line)] if key in _LIST_KEYS[1:] else [line]
        if isinstance(line, str):
            try:
                return shlex.split(line)
            except ValueError:
                return []
        return [word for part in line for word in _word(part)] if isinstance(line, Sequence) else []

    def _variables(self, name: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for section in ("testenv", f"testenv:{name}"):
            settings = self.sections.get(section, {})
            value = settings.get("setenv") or settings.get("set_env")
            if isinstance(value, Mapping):
                found |= {str(key): _substituted(text) for key, text in value.items() if isinstance(text, str)}
                continue
            for line in (line for entry in _entries(value) for line in self._resolved(entry, MAX_DEPTH)):
                key, mark, text = str(line).partition("=")
                found |= {key.strip(): text.strip()} if mark else {}
        return found


def _alternatives(condition: str) -> Iterator[str]:
    waiting = deque([condition])
    for _ in range(MAX_ALTERNATIVES):
        one = waiting.popleft() if waiting else ""
        if match := _BRACES.search(one):
            parts = [part for listed in match[1].split(",") for part in _range(listed.strip())]
            work.spend(len(one) * len(parts))
            waiting += [f"{one[: match.start()]}{part}{one[match.end() :]}" for part in parts]
        else:
            yield from filter(None, one.split(","))


def _word(part: object) -> Iterator[str]:
    """A word of a command in TOML; a replacement of the positional arguments gives its default."""
    if isinstance(part, str):
        yield _substituted(part)
    elif isinstance(part, Mapping) and part.get("replace") == "posargs" and isinstance(part.get("default"), list):
        yield from (word for word in part["default"] if isinstance(word, str))


def _substituted(entry: str) -> str:
    """An entry with its fields replaced, the innermost first; of the positional arguments the default."""
    for _ in range(MAX_DEPTH):
        grown = work.replaced(_FIELD, _value, entry, MAX_ENTRY)
        if grown is None:
            return UNKNOWN
        entry = grown
    return entry.replace("[]", "")


def _value(match: re.Match[str]) -> str:
    name, _, rest = match[1].partition(":")
    if name in {"posargs", "env"}:
        return rest if name == "posargs" else rest.partition(":")[2]
    return _KNOWN.get(name.strip(), UNKNOWN) if match[1] != ":" else ":"
