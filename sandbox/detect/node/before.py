"""What a script runs before its tests: what builds is kept, what judges is left out, and npm stands for its like."""

import re
from collections.abc import Iterable, Sequence

from sandbox.detect import shell, work
from sandbox.detect.node.manifest import Manifest

FOREIGN = frozenset({"pnpm", "yarn", "bun"})
"""Clients that no environment has: npm runs the scripts that they would."""

MAX_DEPTH = 5
MAX_SHOWN = 60

_CLIENTS = FOREIGN | {"npm"}
_VERBS = frozenset({"test", "t", "tst"})
_QUIET = frozenset({"-s", "--silent", "--if-present"})
_LINTERS = frozenset(
    {"eslint", "standard", "xo", "prettier", "tslint", "stylelint", "biome", "echo", "lint", "ts-standard", "oxlint"}
)
_LINTERS |= {"dprint", "knip", "publint", "attw", "cspell", "commitlint", "markdownlint", "format", "fmt", "typecheck"}
_JOINED = frozenset({"typecheck", "checktypes", "typescheck", "checktype", "checkformat", "formatcheck", "checkts"})
_TYPES = frozenset({"tsc", "vue-tsc"})

Lines = tuple[list[str], list[str]]


def script(manifest: Manifest, words: Sequence[str]) -> str:
    """The script of package.json that a client's words run; empty for another of its commands."""
    if not words or words[0] not in _CLIENTS:
        return ""
    plain = [word for word in words[1:] if not word.startswith("-")]
    if words[0] != "bun" and plain[:1] and plain[0] in _VERBS:
        return "test"
    if len(plain) > 1 and plain[0] in {"run", "run-script"}:
        return plain[1]
    own = words[0] in FOREIGN and plain and plain[0] in manifest.scripts and (words[0], plain[0]) != ("bun", "test")
    return plain[0] if own else ""


def arguments(words: Sequence[str], name: str) -> tuple[str, ...]:
    """What the script is given: for npm what follows `--`, for others whatever follows its name."""
    if "--" in words:
        return tuple(words[words.index("--") + 1 :])
    return tuple(words[words.index(name) + 1 :]) if words[0] in FOREIGN and name in words else ()


def lines(manifest: Manifest, command: shell.Command, words: tuple[str, ...], depth: int = 0) -> Lines:
    """The lines of shell to run for a command, and a sentence for what is left out that may matter."""
    work.spend(10 + sum(map(len, words)))
    name = script(manifest, words)
    if judges(manifest, words, depth):
        return [], []
    if command.partial or any(shell.UNKNOWN in word for word in command.redirects):
        return [], [f"{command.source} runs {words[0][:MAX_SHOWN]} together with another command; neither is run here."]
    if name and depth < MAX_DEPTH and _foreign(manifest, name, depth):
        return _expanded(manifest, name, command, depth)
    if words[0] in FOREIGN:
        asked = list(words[1 : words.index(name)]) if name in words else []
        if not (name in manifest.scripts and set(asked) <= _QUIET | {"run", "run-script"}):
            shown = " ".join(words)[:MAX_SHOWN]
            return [], [f"{command.source} runs `{shown}`; the sandbox has npm only, so it is left out."]
        more = arguments(words, name)
        words = ("npm", "run", name, *(("--", *more) if more else ()))
    return [" ".join([*map(quoted, words), *command.redirects])], []


def judges(manifest: Manifest, words: Sequence[str], depth: int = 0) -> bool:
    """Whether a command only lints, checks formats or types: its verdict is not that of the tests."""
    name = script(manifest, words)
    first = words[0].rpartition("/")[2]
    if first in _TYPES:
        return not {"--noEmit", "-noEmit"}.isdisjoint(words)
    if first in _LINTERS or not _LINTERS.isdisjoint(re.split(r"[:\s_-]", name)):
        return True
    if re.sub(r"[:\s_-]", "", name) in _JOINED:
        return True
    if first in FOREIGN and not name:
        return not _LINTERS.isdisjoint(words[1:3])
    if depth >= MAX_DEPTH or not manifest.scripts.get(name):
        return False
    inner = _commands(manifest, name)
    return bool(inner) and all(judges(manifest, one.words, depth + 1) for one in inner)


def _commands(manifest: Manifest, name: str) -> tuple[shell.Command, ...]:
    path, _, line = manifest.line("scripts", name).rpartition(":")
    texts = (manifest.scripts.get(f"pre{name}", ""), manifest.scripts[name])
    return tuple(one for text in texts for one in shell.commands(text, shell.Place(path, int(line))))


def _foreign(manifest: Manifest, name: str, depth: int) -> bool:
    """Whether a script, or one that it runs, asks for a client that is not there."""
    if depth >= MAX_DEPTH or name not in manifest.scripts:
        return False
    inner: Iterable[shell.Command] = _commands(manifest, name)
    return any(one.words[0] in FOREIGN or _foreign(manifest, script(manifest, one.words), depth + 1) for one in inner)


def _expanded(manifest: Manifest, name: str, outer: shell.Command, depth: int) -> Lines:
    found: Lines = ([], [])
    for one in _commands(manifest, name):
        if one.directory or any(shell.UNKNOWN in word for word in one.words):
            found[1].append(f"{one.source} says what {outer.words[0][:MAX_SHOWN]} runs in a way that is not read.")
            continue
        for whole, part in zip(found, lines(manifest, one, one.words, depth + 1), strict=True):
            whole.extend(part)
    return found


def quoted(word: str) -> str:
    """A word of shell; patterns stay patterns."""
    return word if re.fullmatch(r"[\w@%+=:,./*-]+", word) else "'" + word.replace("'", "'\"'\"'") + "'"
