"""The tests that a CI job's log says failed, by the names that go test, unittest, jest and vitest print.

Such a log names no file for sure, so what is read here is a test's name below its file, as node ids have it behind
`::`, for example `TestTotal/empty`, `Cart::test_total`, `Cart > adds up`.
"""

import re
from collections.abc import Iterator

SEPARATOR = "\u203a"
MAX_LINE = 1000
MAX_LINES = 400_000
MAX_NAMES = 2000
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_MARKS = ("FAIL: ", "ERROR: ", "● ", " FAIL ", '"fail"')
_GO = re.compile(r"(?:--- FAIL: |=== FAIL: \S{1,300} )((?:Test|Fuzz|Example)\S{0,500}) \(\d")
_GO_JSON = re.compile(r'"Action":"fail".{0,600}"Test":"((?:Test|Fuzz|Example)[^"\\]{0,500})"')
_UNITTEST = re.compile(r"(?:FAIL|ERROR): (\w{1,200}) \(([\w.]{1,500})\)(?: [\[(].{0,500})?\s*$")
_JEST = re.compile(r"● (.{1,800})$")
_VITEST = re.compile(r" FAIL {1,3}(?:[^>]{1,80} )?(\S{1,500}) > (.{1,800})$")


def names(logs: tuple[str, ...]) -> frozenset[str]:
    """At most 2,000 names, in time that grows with the logs' length."""
    found: set[str] = set()
    for log in logs:
        for line in log.split("\n", MAX_LINES)[:MAX_LINES]:
            if any(mark in line for mark in _MARKS):
                found.update(_named(_ANSI.sub("", line[:MAX_LINE]).rstrip()))
            if len(found) >= MAX_NAMES:
                return frozenset(found)
    return frozenset(found)


def _named(line: str) -> Iterator[str]:
    if found := _GO.search(line) or _GO_JSON.search(line):
        yield found[1]
    elif found := _UNITTEST.search(line):
        owner = found[2].removesuffix(f".{found[1]}").rpartition(".")[2]
        yield f"{owner}::{found[1]}"
    elif found := _VITEST.search(line):
        yield found[2].strip()
    elif found := _JEST.search(line):
        yield " > ".join(part.strip() for part in found[1].split(SEPARATOR))
