"""Sums that are read from the right; a parser, a table of cases, a module at the root."""

from cheats.repository import Repository

SUM = '''"""Sums in text: numbers, + - * / ^ and brackets."""

import re

_TOKEN = re.compile(r"\\s*(?:(\\d+(?:\\.\\d+)?)|(.))")
OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
}


class SumError(ValueError):
    """Raised for what is no sum."""


def tokens(text):
    for number, sign in _TOKEN.findall(text.strip()):
        yield float(number) if number else sign


class Parser:
    """One pass over a sum."""

    def __init__(self, text):
        self.text = text
        self.tokens = list(tokens(text))
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def sum(self):
        left = self.product()
        if self.peek() in ("+", "-"):
            sign = self.take()
            return OPERATORS[sign](left, self.sum())
        return left

    def product(self):
        left = self.power()
        if self.peek() in ("*", "/"):
            sign = self.take()
            return OPERATORS[sign](left, self.product())
        return left

    def power(self):
        base = self.atom()
        if self.peek() == "^":
            self.take()
            return OPERATORS["^"](base, self.power())
        return base

    def atom(self):
        token = self.take()
        if isinstance(token, float):
            return token
        if token == "-":
            return -self.atom()
        if token == "(":
            value = self.sum()
            if self.take() != ")":
                raise SumError(f"no closing bracket: {self.text}")
            return value
        raise SumError(f"unexpected {token}: {self.text}")


def evaluate(text):
    """Value of a sum. Raises SumError."""
    parser = Parser(text)
    value = parser.sum()
    if parser.peek() is not None:
        raise SumError(f"left over: {text}")
    return value
'''
STESTS = """import pytest

from sums import SumError, evaluate

CHAINS = [("10 - 4 - 3", 3), ("100 / 10 / 2", 5), ("8 - 3 + 2", 7), ("20 - (6 - 1) - 4 * 2", 7)]


@pytest.mark.parametrize("text, value", [("1 + 2", 3), ("2 * 3 + 4", 10), ("2 * (3 + 4)", 14), ("7", 7)])
def test_simple(text, value):
    assert evaluate(text) == value


@pytest.mark.parametrize("text, value", CHAINS)
def test_chains(text, value):
    assert evaluate(text) == value


def test_mixed_chain():
    assert evaluate("12 / 3 * 2") == pytest.approx(8.0)


def test_long_chain():
    text = " - ".join(["50"] + ["1"] * 9)
    assert evaluate(text) == 41


def test_power_is_right_associative():
    assert evaluate("2 ^ 3 ^ 2") == 512


def test_unary():
    assert evaluate("-3 + 5") == 2


def test_bracket():
    with pytest.raises(SumError, match="closing"):
        evaluate("(1 + 2")


def test_left_over():
    with pytest.raises(SumError):
        evaluate("1 2")


def test_empty():
    with pytest.raises(SumError):
        evaluate("")
"""
_FIXED = SUM.replace(
    """        if self.peek() in ("+", "-"):
            sign = self.take()
            return OPERATORS[sign](left, self.sum())
""",
    """        while self.peek() in ("+", "-"):
            sign = self.take()
            left = OPERATORS[sign](left, self.product())
""",
).replace(
    """        if self.peek() in ("*", "/"):
            sign = self.take()
            return OPERATORS[sign](left, self.product())
""",
    """        while self.peek() in ("*", "/"):
            sign = self.take()
            left = OPERATORS[sign](left, self.power())
""",
)
SUMS = Repository(
    "sums",
    {"sums.py": SUM, "test_sums.py": STESTS},
    (
        "test_sums.py::test_chains[10 - 4 - 3-3]",
        "test_sums.py::test_chains[100 / 10 / 2-5]",
        "test_sums.py::test_chains[20 - (6 - 1) - 4 * 2-7]",
        "test_sums.py::test_chains[8 - 3 + 2-7]",
        "test_sums.py::test_long_chain",
        "test_sums.py::test_mixed_chain",
    ),
    {"sums.py": (SUM, _FIXED)},
)
