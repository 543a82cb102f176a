"""Which test runner a Node project uses, and the command that starts it, read off its scripts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sandbox.detect import shell, work
from sandbox.detect.naming import Rank, ordered
from sandbox.detect.node import before
from sandbox.detect.node.manifest import PATH, Manifest
from sandbox.detect.variables import kept
from sandbox.spec import Tree

RUNNERS = {"jest": "jest", "vitest": "vitest", "mocha": "mocha", "_mocha": "mocha"}
_DEFAULTS = (("vitest", ("vitest", "run")), ("jest", ("jest",)), ("mocha", ("mocha",)))
_CLIENTS = frozenset({"npm", "npx", "bunx", "node", *before.FOREIGN, *RUNNERS})
_WRAPPERS = frozenset({"npx", "bunx", "cross-env", "c8", "nyc", "env", "exec", "dotenv", "time", "env-cmd"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_TEST_FILE = re.compile(
    r"(?:^|/)(?:[^/]+[.-_](?:test|spec)|test(?:-[^/]+)?)\.[cm]?[jt]sx?$|(?:^|/)(?:__tests__|tests?)/.+\.[cm]?[jt]sx?$"
)
_IMPORTS_TESTS = re.compile(rb"['\"]node:test['\"]")
MAX_SCRIPTS = 10
NO_TEST = "no test specified"
_PLACEHOLDER = shell.UNKNOWN
# What these ask for is not that tests are run.
_NO_SUITE = frozenset(
    {"--version", "--help", "-h", "--listTests", "--showConfig", "--dry-run", "--init", "--clearCache"}
)
_NO_SUITE |= {"--list-files", "--list-reporters", "--list-interfaces", "--mergeReports"}
_VITEST_OTHERS = frozenset({"list", "bench", "init"})


@dataclass(frozen=True, slots=True)
class Found:
    """`kind` is the ecosystem; `told` says that a script or a person named the runner, not a dependency alone."""

    kind: str
    command: tuple[str, ...]
    source: str
    environment: tuple[tuple[str, str], ...] = ()
    unmet: tuple[str, ...] = ()
    told: bool = True


def is_client(command: Sequence[str]) -> bool:
    """Whether a command is one of Node's."""
    return bool(command) and command[0].rpartition("/")[2] in _CLIENTS


def tests(tree: Tree) -> tuple[str, ...]:
    """The paths that are named like tests, sorted."""
    return tuple(sorted(path for path in tree if _TEST_FILE.search(path) and "node_modules" not in path.split("/")))


def find(tree: Tree, manifest: Manifest, given: tuple[str, ...]) -> Found | None:
    """The runner of the given command, else of the script `test`, else of the dependencies, else `node --test`.

    Where there is no such script, or only the one that npm writes, others that are named after tests come before these.
    """
    if given:
        return _of_commands(manifest, [shell.Command(given, source="given")], 0)
    if NO_TEST not in manifest.scripts.get("test", NO_TEST):
        return _of_script(manifest, "test", (), 0) or _by_dependency(manifest)
    named = ordered(tuple(manifest.scripts), Rank.TESTS)[:MAX_SCRIPTS]
    told = next((found for name in named if (found := _of_script(manifest, name, (), 0))), None)
    return told or _by_dependency(manifest) or (None if "test" in manifest.scripts else _built_in(tree))


def _by_dependency(manifest: Manifest) -> Found | None:
    for name, command in _DEFAULTS:
        if name in manifest.wanted:
            return Found(name, command, manifest.line("devDependencies", name), told=False)
    return None


def _built_in(tree: Tree) -> Found | None:
    path = next((path for path in tests(tree) if _IMPORTS_TESTS.search(tree[path].data)), None)
    return Found("node-test", ("node", "--test"), f"{path}:1") if path else None


def _of_script(manifest: Manifest, name: str, more: Sequence[str], depth: int) -> Found | None:
    """As npm does, run `pretest` before `test`; more words are for the last command of a script."""
    if depth > before.MAX_DEPTH or name not in manifest.scripts:
        return None
    path, _, line = manifest.line("scripts", name).rpartition(":")
    place = shell.Place(path, int(line))
    earlier = shell.commands(manifest.scripts.get(f"pre{name}", ""), place)
    commands = list(shell.commands(manifest.scripts[name], place))
    if commands and more:
        last = commands[-1]
        commands[-1] = shell.Command((*last.words, *more), last.environment, last.directory, last.source)
    return _of_commands(manifest, [*earlier, *commands], depth)


def _of_commands(manifest: Manifest, commands: Iterable[shell.Command], depth: int) -> Found | None:
    """The first command that runs all tests, else the first that starts a runner.

    What stands before it and judges nothing is run before it.
    """
    earlier: list[str] = []
    unmet: list[str] = []
    narrow: Found | None = None
    for command in commands:
        work.spend(10 + sum(map(len, command.words)))
        words, variables = _unwrapped(command.words)
        if not words or command.directory or any(_PLACEHOLDER in word for word in words):
            continue
        found = None if _lists(words) else _of_words(manifest, words, command.source, depth)
        if found is None:
            more, said = before.lines(manifest, command, words)
            earlier += more
            unmet += said
            continue
        environment = {**dict(command.environment), **variables, **dict(found.environment)}
        argv = found.command
        if earlier:
            argv = ("sh", "-c", f'{" && ".join(earlier)} && exec "$@"', "sh", *argv)
        made = Found(found.kind, argv, found.source, kept(environment.items()), (*unmet, *found.unmet))
        if not _is_narrow(found.command):
            return made
        narrow = narrow or made
    return narrow


def _is_narrow(command: Sequence[str]) -> bool:
    """Whether a runner is given a place: a file or folder that is no option's value."""
    return any(
        "/" in word and not word.startswith("-") and not before.startswith("-") for before, word in pairwise(command)
    )


def _of_words(manifest: Manifest, words: tuple[str, ...], source: str, depth: int) -> Found | None:
    if name := before.script(manifest, words):
        return _of_script(manifest, name, before.arguments(words, name), depth + 1)
    match words:
        case [client, runner, *rest] if client in before.FOREIGN and _name(runner) in RUNNERS:
            return None if _lists(words[1:]) else Found(RUNNERS[_name(runner)], (_name(runner), *rest), source)
        case ["node", *rest]:
            return _of_node(words, rest, source)
        case [first, *_] if (kind := RUNNERS.get(_name(first))) is not None:
            return Found(kind, (_name(first), *words[1:]), source)
    return None


def _of_node(words: tuple[str, ...], rest: Sequence[str], source: str) -> Found | None:
    program = next((word for word in rest if "node_modules/" in word), "")
    if (kind := RUNNERS.get(_name(program))) is not None:
        return Found(kind, words, source)
    if "--test" in rest:
        return Found("node-test", words, source)
    # A script of the project's own may start the runner that it is given, as one that sets something up.
    at = next((at for at, word in enumerate(rest) if at and word in RUNNERS), 0)
    return Found(RUNNERS[rest[at]], tuple(rest[at:]), source) if at else None


def _unwrapped(words: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, str]]:
    """A command without what only wraps it, as `cross-env`, `npx` and coverage, with the variables that those set."""
    variables: dict[str, str] = {}
    while words:
        first = _name(words[0])
        if _ASSIGNMENT.fullmatch(words[0]):
            name, _, value = words[0].partition("=")
            variables[name] = value
            words = words[1:]
        elif first in before.FOREIGN and words[1:2] in (("exec",), ("dlx",), ("x",)):
            words = words[2:]
        elif first in _WRAPPERS:
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        else:
            break
    return words, variables


def _lists(words: Sequence[str]) -> bool:
    """Whether a runner is asked to list or explain something, and not to run tests."""
    name = _name(words[0])
    if name == "vitest" and not _VITEST_OTHERS.isdisjoint(words[1:2]):
        return True
    return name in {*RUNNERS, "node"} and not _NO_SUITE.isdisjoint(words)


def _name(word: str) -> str:
    return word.rpartition("/")[2].removesuffix(".js").removesuffix(".mjs") if word != PATH else word
