"""How the benchmark knows what localisation was worth."""

import dataclasses

import pytest
from bench.loop.localisation import Listening, edited, rank, top
from fakes import MemoryJournal
from fakes_bench import TASK

from sandbox.spec import File

OLD = """class Span:
    def add(self, other):
        return self.size - other


def outer(x):
    def inner(y):
        return y < x
    return inner(x)


LIMIT = 3
"""


def task(old: str, new: str) -> object:
    return dataclasses.replace(TASK, tree={"a.py": File(OLD.encode())}, fixed={"a.py": OLD.replace(old, new).encode()})


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("size - other", "size + other", {"Span.add"}),
        ("y < x", "y <= x", {"outer", "outer.inner"}),
        ("    return inner(x)\n", "    x += 1\n    return inner(x)\n", {"outer"}),
        ("LIMIT = 3", "LIMIT = 4", set()),
    ],
)
def test_what_was_edited_are_the_functions_around_the_changed_lines(old: str, new: str, names: set[str]) -> None:
    assert edited(task(old, new)) == {("a.py", name) for name in names}


def test_the_rank_is_that_of_the_first_suspect_that_was_edited() -> None:
    changed = task("size - other", "size + other")
    assert rank([("b.py", "Span.add"), ("a.py", "outer"), ("a.py", "Span.add")], changed) == 3
    assert rank([("a.py", "outer")], changed) == 0
    assert rank([], changed) is None
    assert rank([("a.py", "outer")], dataclasses.replace(TASK, fixed={})) is None


def test_what_localisation_said_first_is_heard_and_passed_on() -> None:
    journal = MemoryJournal()
    heard = Listening(journal)
    for name in ("f", "g"):
        heard.append("localised", {"suspects": [["a.py", name, 0.5, "named"]]})
    assert heard.suspects == [("a.py", "f")]
    assert len(journal.named("localised")) == 2


def test_what_is_not_among_the_suspects_is_in_no_top() -> None:
    assert top([1, 2, 0, 5], (1, 3, 5)) == {"1": 1, "3": 2, "5": 3}
