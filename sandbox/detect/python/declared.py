"""What a manifest declares for tests, and how names of extras, groups and files are read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from sandbox.errors import DetectionError

MANIFESTS = (
    "pyproject.toml",
    "hatch.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "pylock.toml",
    "Pipfile",
    "Pipfile.lock",
)

_TEST_NAMES = frozenset({"test", "tests", "testing", "pytest", "unittest"})
_DEVELOPMENT_NAMES = frozenset({"dev", "devel", "develop", "development", "default"})
_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_WHOLE_NAME = re.compile(_NAME)
_CLAUSE = r"(?:===|[<>=!~]=|[<>])\s*+[\w.*+!-]++\s*+"
_CLAUSES = rf"{_CLAUSE}(?:,\s*+{_CLAUSE})*+,?"
_REQUIREMENT = re.compile(
    rf"{_NAME}\s*+(?:\[[\w.,\s-]*+\])?+\s*+(?:@\s*+[A-Za-z][\w+.-]*+:[^\s]++|\(?\s*+{_CLAUSES}\)?)?+\s*+(?:;.*+)?+"
)
MAX_REQUIREMENT = 1000
MAX_SETS = 200
MAX_ENTRIES = 1000
"""Bounds on what is declared: named sets in a file, entries in a set."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One named set of requirements: `source` is `file:line`, `files` are for pip's `-r`."""

    name: str
    source: str
    extras: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def named(declared: Iterable[Declared]) -> tuple[Declared, ...]:
    """Those that are named after tests; those named after development only where there are none."""
    everything = tuple(declared)
    for names in (_TEST_NAMES, _DEVELOPMENT_NAMES):
        found = tuple(one for one in everything if words(one.name) & names)
        if found:
            return found
    return ()


def words(name: str) -> set[str]:
    """The parts of a name or path: `requirements/test_unit.txt` has requirements, test, unit, txt."""
    return set("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())


def bounded(declared: Iterable[Declared], path: str) -> tuple[Declared, ...]:
    """All of what a file declares. Raises `DetectionError` for more than `MAX_SETS`."""
    found = tuple(islice(declared, MAX_SETS + 1))
    if len(found) > MAX_SETS:
        raise DetectionError(f"{path} declares more than {MAX_SETS} sets of requirements", "Declare fewer.")
    return found


def plain_requirements(values: object) -> tuple[str, ...]:
    """The requirement specifiers in a list; options and whatever else is no text are left out."""
    if not isinstance(values, list | tuple):
        return ()
    texts = (value.strip() for value in values if isinstance(value, str))
    return tuple(value for value in texts if value and not value.startswith(("-", "#")))


def is_name(word: str) -> bool:
    """Whether a word is the name of a package, an extra or a group (PEP 508, 685, 735), so never an option."""
    return len(word) <= MAX_REQUIREMENT and _WHOLE_NAME.fullmatch(word) is not None


def is_requirement(word: str) -> bool:
    """Whether a word is a requirement specifier (PEP 508), so neither an option, a path nor a bare address."""
    return len(word) <= MAX_REQUIREMENT and word.isprintable() and _REQUIREMENT.fullmatch(word) is not None
