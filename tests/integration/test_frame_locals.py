"""Variables of frames: shown in a few words, and no code of the repository runs for it."""

from pathlib import Path

from guest_suite import run_suite

SUITE = """
from collections import namedtuple
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

class Node:
    def __init__(self, value, successor=None):
        self.value, self.successor = value, successor

    def __repr__(self):
        raise SystemExit(9)

class Sly(dict):
    def items(self):
        raise SystemExit(9)

class Slots:
    __slots__ = ("x",)

@dataclass
class Row:
    name: str

def total(prices, rate):
    node = Node(1, Node(2))
    row, slots, sly, day = Row("one"), Slots(), Sly(a=1), date(2026, 1, 2)
    long = "x" * 5000
    assert sum(prices) == rate

def test_total():
    helper = total
    many = list(range(100))
    nested = {"a": [1, {"b": (2,)}], "huge": 10 ** 5000}
    total([1, 2], Decimal("0.5"))
"""


def test_each_frame_tells_its_variables_and_runs_none_of_their_code(tmp_path: Path) -> None:
    run = run_suite(tmp_path, {"test_it.py": SUITE})
    (result,) = run.results
    outer, inner = (dict(frame.locals) for frame in result.frames)
    assert outer == {
        "many": "[0, 1, 2, 3, 4, 5, ... 100 in all]",
        "nested": "{'a': [1, {...}], 'huge': a number of many digits}",
    }
    assert inner.pop("long").startswith("'xxx")
    assert inner == {
        "prices": "[1, 2]",
        "rate": "Decimal('0.5')",
        "node": "Node(value=1, successor=Node(value=2, successor=None))",
        "row": "Row(name='one')",
        "slots": "<Slots>",
        "sly": "<Sly>",
        "day": "datetime.date(2026, 1, 2)",
    }


SLY = """
import collections
import datetime

class Meta(type):
    @property
    def __module__(cls):
        raise SystemExit(9)

    @property
    def __name__(cls):
        raise SystemExit(9)

class Named(metaclass=Meta):
    pass

class Posing:
    __module__ = "datetime"

    def __repr__(self):
        raise SystemExit(9)

class Hidden:
    @property
    def __dict__(self):
        raise SystemExit(9)

class Zone(datetime.tzinfo):
    def __repr__(self):
        raise SystemExit(9)

def test_sly():
    named, posing, hidden = Named(), Posing(), Hidden()
    queue = collections.deque([Posing()])
    noon = datetime.datetime(2026, 1, 2, tzinfo=Zone())
    morning = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
    raise ValueError(7)
"""


def test_nothing_that_a_class_overrides_is_asked(tmp_path: Path) -> None:
    (result,) = run_suite(tmp_path, {"test_it.py": SLY}).results
    assert dict(result.frames[-1].locals) == {
        "named": "<Named>",
        "posing": "<Posing>",
        "hidden": "<Hidden>",
        "queue": "<deque>",
        "noon": "<datetime>",
        "morning": "datetime.datetime(2026, 1, 2, 0, 0, tzinfo=datetime.timezone.utc)",
    }


def test_of_a_deep_traceback_only_the_innermost_frames_tell_theirs(tmp_path: Path) -> None:
    deeper = "".join(f"def dive{at}(depth):\n    dive{at - 1}(depth - 1)\n" for at in range(1, 13))
    suite = f"def dive0(depth):\n    assert depth\n{deeper}def test_deep():\n    dive12(12)\n"
    (result,) = run_suite(tmp_path, {"test_it.py": suite}).results
    assert [dict(frame.locals) for frame in result.frames[-5:]] == [{"depth": str(depth)} for depth in (4, 3, 2, 1, 0)]
    assert not any(frame.locals for frame in result.frames[:-5])


def test_of_a_recursion_the_innermost_frames_tell_theirs(tmp_path: Path) -> None:
    suite = "def dive(depth):\n    assert depth\n    dive(depth - 1)\n\ndef test_deep():\n    dive(12)\n"
    (result,) = run_suite(tmp_path, {"test_it.py": suite}).results
    assert [(frame.line, dict(frame.locals)) for frame in result.frames] == [
        (6, {}), (3, {"depth": "1"}), (2, {"depth": "0"}),
    ]  # fmt: skip
