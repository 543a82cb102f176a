"""What an issue's words point at in the sources, before any test shows it: functions, classes, files, by their names.

Pure, and a guess: it decides what a tester is shown, nothing else.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from posixpath import basename

from bot.repair.localisation.localise import Suspect
from bot.repair.localisation.reach import MODULE
from bot.repair.sources.languages import PYTHON
from bot.repair.sources.syntax import Function, functions, parse
from bot.repair.types import SourceFile

MAX_TEXT = 20_000
MAX_SUSPECTS = 40
SHORTEST = 3
WHOLE, PART, OWNER, FILE = 4.0, 1.0, 1.5, 1.0
"""Weights: the whole name, a part of it, the name of its class, the name of its file."""
_WORD = re.compile(r"\w+")
_PARTS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]{2,}|\d+")
_COMMON = frozenset({"the", "and", "for", "not", "test", "tests", "init", "get", "set", "self", "with", "from", "main"})


def words(text: str) -> frozenset[str]:
    """The identifiers and words of a text, in small letters, with the parts of compound ones; common ones left out."""
    text = text[:MAX_TEXT]
    return _telling(word.casefold() for word in _WORD.findall(text)) | parts(text)


def parts(name: str) -> frozenset[str]:
    """The words that a compound name is made of, in small letters; common ones left out."""
    return _telling(part.casefold() for part in _PARTS.findall(name[:MAX_TEXT]))


def overlap(name: str, said: Collection[str]) -> float:
    """How much of a name a text says: the whole of it weighs most, else the share of its parts."""
    if name.casefold() in said and name.casefold() not in _COMMON:
        return WHOLE
    of_name = parts(name)
    return PART * len(of_name & frozenset(said)) / len(of_name) if of_name else 0.0


def _telling(found: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in found if len(word) >= SHORTEST and word not in _COMMON)


def stem(path: str) -> str:
    """A file's name without its directories and endings."""
    return basename(path).partition(".")[0]


def mentioned(text: str, files: Mapping[str, SourceFile], sources: Collection[str]) -> tuple[Suspect, ...]:
    """At most 40 places of these `sources`, those first that the text says most of; ties by path and line."""
    said = words(text)
    found = [one for path in sources if path in files for one in _of_file(files[path], said, text)]
    found.sort(key=lambda suspect: (-suspect.score, suspect.path, suspect.start_line))
    return tuple(found[:MAX_SUSPECTS])


def ranked(paths: Iterable[str], text: str) -> list[str]:
    """Paths by how much a text says of them, ties in their order."""
    said = words(text)
    return sorted(paths, key=lambda path: -_of_path(path, said, text))


def _of_path(path: str, said: Collection[str], text: str) -> float:
    return WHOLE if path in text or basename(path) in text else overlap(stem(path), said)


def _of_file(file: SourceFile, said: Collection[str], text: str) -> list[Suspect]:
    of_path = FILE * _of_path(file.path, said, text)
    tree = parse(file.data) if file.path.endswith(PYTHON) else None
    lines = file.data.count(b"\n") + 1
    if tree is None:
        used = words(file.data.decode("utf-8", "replace")) & frozenset(said)
        return [Suspect(file.path, MODULE, 1, lines, of_path + PART * len(used) / (1 + len(said)), "named")]
    return [
        Suspect(
            file.path,
            function.qualified_name,
            function.start_line,
            function.end_line,
            round(_of_function(function, said) + of_path, 6),
            "named",
        )
        for function in functions(tree)
    ]


def _of_function(function: Function, said: Collection[str]) -> float:
    owner = function.owner.rpartition(".")[2]
    return overlap(function.name, said) + (OWNER / WHOLE * overlap(owner, said) if owner else 0.0)
