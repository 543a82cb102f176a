"""Spans of time that do not know days; classes of tests, a table of cases, code below `src`."""

from cheats.repository import Repository

DUR = '''"""Durations: ``1h30m`` to seconds and back."""

import re
import time

UNITS = {"s": 1, "m": 60, "h": 3600}
_PART = re.compile(r"(\\d+)([smh])")
MAX_PARTS = 8


class DurationError(ValueError):
    """Raised for what is no duration."""


def parse(text):
    """Seconds of a duration. Raises DurationError."""
    total = 0
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            raise DurationError(f"no duration: {text!r}")
        total += int(found[1]) * UNITS[found[2]]
        at = found.end()
    return total


def render(seconds):
    parts = []
    for unit in ("h", "m", "s"):
        count, seconds = divmod(seconds, UNITS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


class Stopwatch:
    def __init__(self, clock=time.monotonic):
        self.clock = clock
        self.begun = clock()

    def elapsed(self):
        return render(int(self.clock() - self.begun))

    def __repr__(self):
        return f"<Stopwatch {self.elapsed()}>"
'''
DTESTS = """import time

import pytest

from durations import DurationError, Stopwatch, parse, render

SEVERAL = {"2d": 172800, "1d6h": 108000, "3d10s": 259210}


class TestParse:
    def test_hours(self):
        assert parse("1h30m") == 5400

    @pytest.mark.parametrize("text", sorted(SEVERAL))
    def test_days(self, text):
        assert parse(text) == SEVERAL[text]

    def test_rejects_words(self):
        with pytest.raises(DurationError):
            parse("soon")

    def test_rejects_empty(self):
        with pytest.raises(DurationError, match="empty"):
            parse("")


class TestRender:
    def test_days(self):
        assert render(90061) == "1d1h1m1s"

    def test_zero(self):
        assert render(0) == "0s"

    def test_round_trip(self):
        for seconds in (86400, 172799, 1000000):
            assert parse(render(seconds)) == seconds

    def test_week(self):
        assert len(render(7 * 86400)) == 2


def test_stopwatch():
    ticks = iter([0.0, 61.0])
    assert Stopwatch(lambda: next(ticks)).elapsed() == "1m1s"


def test_real_clock():
    watch = Stopwatch()
    time.sleep(0.01)
    assert watch.elapsed() == "0s"
"""
_FIXED = (
    DUR.replace('"h": 3600}', '"h": 3600, "d": 86400}')
    .replace("([smh])", "([smhd])")
    .replace('("h", "m", "s")', '("d", "h", "m", "s")')
    .replace("    total = 0\n", '    if not text:\n        raise DurationError("empty")\n    total = 0\n')
)
SPANS = Repository(
    "spans",
    {
        "src/durations/__init__.py": DUR,
        "tests/test_durations.py": DTESTS,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\ntestpaths = ["tests"]\n',
    },
    (
        "tests/test_durations.py::TestParse::test_days[1d6h]",
        "tests/test_durations.py::TestParse::test_days[2d]",
        "tests/test_durations.py::TestParse::test_days[3d10s]",
        "tests/test_durations.py::TestParse::test_rejects_empty",
        "tests/test_durations.py::TestRender::test_days",
        "tests/test_durations.py::TestRender::test_week",
    ),
    {"src/durations/__init__.py": (DUR, _FIXED)},
)
