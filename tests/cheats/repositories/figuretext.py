"""Figures for people that do not know negative ones, nor teens; unittest, a module at the root."""

from cheats.repository import Repository

FIG = '''"""Figures for people: short, grouped, ordinal."""

STEPS = ((1_000_000_000, "bn"), (1_000_000, "m"), (1_000, "k"))


def compact(value):
    """At most one decimal and a unit: 1500 is 1.5k."""
    for size, unit in STEPS:
        if value >= size:
            return _trim(value / size) + unit
    return _trim(value)


def _trim(value):
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def grouped(value, sep=" "):
    """Digits in threes."""
    digits = str(abs(value))
    parts = []
    while len(digits) > 3:
        digits, part = digits[:-3], digits[-3:]
        parts.insert(0, part)
    parts.insert(0, digits)
    return ("-" if value < 0 else "") + sep.join(parts)


def ordinal(value):
    """1st, 2nd, 3rd, 4th."""
    if value < 1:
        raise ValueError("ordinals begin with 1")
    return str(value) + {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")


class Meter:
    """Counts, and says so."""

    def __init__(self, noun):
        self.noun = noun
        self.count = 0

    def add(self, count=1):
        self.count += count
        return self

    def __str__(self):
        noun = self.noun if self.count == 1 else self.noun + "s"
        return f"{compact(self.count)} {noun}"
'''
FTESTS = """import unittest

from figuretext import Meter, compact, grouped, ordinal


class CompactTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(compact(7), "7")

    def test_units(self):
        self.assertEqual(compact(1500), "1.5k")
        self.assertEqual(compact(2_000_000), "2m")

    def test_negative(self):
        self.assertEqual(compact(-1500), "-1.5k")
        self.assertEqual(compact(-3_000_000), "-3m")

    def test_meter(self):
        self.assertEqual(str(Meter("file").add()), "1 file")

    def test_meter_negative(self):
        meter = Meter("point").add(-2500)
        self.assertEqual(str(meter), "-2.5k points")

    def test_order(self):
        texts = [compact(value) for value in (-5_000_000, -40, 12)]
        self.assertEqual(texts, ["-5m", "-40", "12"])


class OrdinalTest(unittest.TestCase):
    def test_plain(self):
        for value, text in ((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (21, "21st")):
            with self.subTest(value):
                self.assertEqual(ordinal(value), text)

    def test_teens(self):
        for value, text in ((11, "11th"), (12, "12th"), (13, "13th"), (111, "111th"), (212, "212th")):
            self.assertEqual(ordinal(value), text)

    def test_zero(self):
        with self.assertRaises(ValueError):
            ordinal(0)


class GroupedTest(unittest.TestCase):
    def test_groups(self):
        self.assertEqual(grouped(1234567), "1 234 567")
        self.assertEqual(grouped(-1234, ","), "-1,234")
"""
_FIXED = FIG.replace("if value >= size", "if abs(value) >= size").replace(
    """    return str(value) + {1:""",
    """    if value % 100 in (11, 12, 13):
        return f"{value}th"
    return str(value) + {1:""",
)
FIGURES = Repository(
    "figuretext",
    {"figuretext.py": FIG, "test_figuretext.py": FTESTS},
    (
        "test_figuretext.py::CompactTest::test_meter_negative",
        "test_figuretext.py::CompactTest::test_negative",
        "test_figuretext.py::CompactTest::test_order",
        "test_figuretext.py::OrdinalTest::test_teens",
    ),
    {"figuretext.py": (FIG, _FIXED)},
)
