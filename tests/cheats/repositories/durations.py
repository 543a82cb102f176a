"""Durations as people write them, in one module."""

from cheats.repository import Repository

DURATIONS = Repository(
    "durations",
    {
        "durations.py": '''"""Durations as people write them."""

import re

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
PART = re.compile(r"(\\d+)([smhd])")


def parse(text):
    """Seconds in a text such as `1h30m`; raises ValueError for anything else."""
    found = PART.findall(text)
    if not found or "".join(number + unit for number, unit in found) != text:
        raise ValueError(f"no duration: {text!r}")
    number, unit = found[0]
    return int(number) * UNITS[unit]


def show(seconds):
    """The shortest text for whole seconds."""
    parts = []
    for unit in "dhms":
        count, seconds = divmod(seconds, UNITS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
''',
        "tests/test_durations.py": """import pytest

from durations import parse, show


def test_one_unit():
    assert parse("45s") == 45
    assert parse("2h") == 7200


def test_mixed_units():
    assert parse("1h30m") == 5400
    assert parse("2d4h15s") == 187215


def test_nonsense_is_refused():
    for text in ("", "h", "10", "1h x"):
        with pytest.raises(ValueError):
            parse(text)


def test_show():
    assert show(3661) == "1h1m1s"
    assert show(0) == "0s"
""",
    },
    ("tests/test_durations.py::test_mixed_units",),
    {
        "durations.py": (
            "    number, unit = found[0]\n    return int(number) * UNITS[unit]\n",
            "    return sum(int(number) * UNITS[unit] for number, unit in found)\n",
        )
    },
)
