"""devcontainer.json: what it runs once its container is there. Source: containers.dev, "Lifecycle scripts"."""

import json
import shlex
from collections.abc import Iterator

from sandbox.detect import shell
from sandbox.detect.reading import MAX_SIZE, source, text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PATHS = (".devcontainer/devcontainer.json", ".devcontainer.json")
_KEYS = ("onCreateCommand", "updateContentCommand", "postCreateCommand")


def commands(tree: Tree) -> tuple[shell.Command, ...]:
    """The commands of the first such file, none where there is none or it cannot be read."""
    for path in PATHS:
        if path in tree:
            return tuple(_commands(tree, path))
    return ()


def _commands(tree: Tree, path: str) -> Iterator[shell.Command]:
    try:
        content = text(tree, path, line=MAX_SIZE)
        document = json.loads(without_comments(content))
    except (DetectionError, ValueError, RecursionError):
        return
    for key in _KEYS if isinstance(document, dict) else ():
        value = document.get(key)
        line = int(source(path, content, f'"{key}"').rpartition(":")[2])
        for script in value.values() if isinstance(value, dict) else (value,):
            if isinstance(script, list) and all(isinstance(word, str) for word in script):
                script = shlex.join(script)  # noqa: PLW2901 - the same command, written the other way
            if isinstance(script, str):
                yield from shell.commands(script, shell.Place(path, line))


def without_comments(content: str) -> str:
    """JSON with comments and trailing commas as plain JSON; strings stay as they are. Linear in the text's length."""
    kept: list[str] = []
    at, end = 0, len(content)
    while at < end:
        char, two = content[at], content[at : at + 2]
        if char == '"':
            stop = _string_end(content, at)
            kept.append(content[at:stop])
        elif two in {"//", "/*"}:
            mark = "\n" if two == "//" else "*/"
            found = content.find(mark, at + 2)
            stop = end if found < 0 else found + (len(mark) if mark == "*/" else 0)
        else:
            stop = at + 1
            kept.append(char)
        at = stop
    return _without_trailing_commas(kept)


def _string_end(content: str, start: int) -> int:
    at = start + 1
    while at < len(content) and content[at] != '"':
        at += 2 if content[at] == "\\" else 1
    return at + 1


def _without_trailing_commas(parts: list[str]) -> str:
    kept: list[str] = []
    comma: int | None = None
    for part in parts:
        if part in {"]", "}"} and comma is not None:
            kept[comma] = ""
        if not part.isspace():
            comma = len(kept) if part == "," else None
        kept.append(part)
    return "".join(kept)
