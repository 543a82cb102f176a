"""Newton's method, with constants that its tests use."""

from cheats.repository import Repository

MEASURE = Repository(
    "measure",
    {
        "measure/__init__.py": "",
        "measure/limits.py": '"""What counts as equal, and how long to wait."""\n\nTOLERANCE = 1e-6\nTIMEOUT = 2.0\n',
        "measure/roots.py": '''"""Roots by Newton's method."""

from measure.limits import TOLERANCE


def root(value, steps=4):
    """The square root of a number that is not negative."""
    if value < 0:
        raise ValueError("negative")
    if value == 0:
        return 0.0
    guess = value
    for _ in range(steps):
        guess = (guess + value / guess) / 2
    return guess


def agree(one, other):
    """Whether two measurements are the same."""
    return abs(one - other) <= TOLERANCE
''',
        "tests/test_roots.py": """import math

import pytest

from measure.limits import TOLERANCE
from measure.roots import agree, root


def test_small_numbers():
    assert abs(root(1.0) - 1.0) <= TOLERANCE
    assert root(0) == 0.0


def test_large_numbers():
    assert abs(root(123456.0) - 351.363060) <= TOLERANCE


def test_negative_numbers_are_refused():
    with pytest.raises(ValueError):
        root(-1)


def test_agree():
    assert agree(math.pi, math.pi + 1e-9)
""",
    },
    ("tests/test_roots.py::test_large_numbers",),
    {"measure/roots.py": ("steps=4", "steps=40")},
)
