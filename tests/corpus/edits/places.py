"""Python in which the right place has to be found among others that look like it."""

from corpus.edits.case import Case, block, edit, swap

PATH = "shop/cart.py"
CART = b'''"""Carts."""

from __future__ import annotations

import re
from typing import overload

LIMIT = 3
NAMES = (
    "one",
    "two",
)


def total(prices):
    found = 0
    for price in prices:
        found += price
    return found - 1


def worth(prices):
    found = 0
    for price in prices:
        found += price
    return found


@overload
def pick(at: int) -> int: ...
@overload
def pick(at: str) -> str: ...
def pick(at):
    return LIMIT


class Cart:
    """A cart."""

    limit = 10
    rate: float = 0.5

    def __init__(self, prices):
        self._prices = prices

    @property
    def prices(self):
        return self._prices

    @prices.setter
    def prices(self, value):
        self._prices = value[1:]

    @staticmethod
    def parse(text):
        return re.findall(r"\\d+", text)

    async def load(self, source):
        async for price in source:
            self._prices.append(price)

    def count(self):
        def inner(items):
            return len(items) + 1

        return inner(self._prices)

    class Row:
        def width(self):
            return 1


class Basket:
    limit = 10

    def count(self):
        return 0

    def total(self):
        return 0
'''
FILES = {PATH: CART}


def lands(name: str, reply: str, *swaps: tuple[str, str], data: bytes = CART) -> Case:
    after = data
    for old, new in swaps:
        after = swap(after, old, new)
    return Case(name, {PATH: data}, reply, {PATH: after})


def refused(name: str, reply: str, reason: str, data: bytes = CART) -> Case:
    return Case(name, {PATH: data}, reply, refused=reason)


LOOP = "    found = 0\n    for price in prices:\n        found += price"
BRANCHES = b"try:\n    import fast\n\n    def f(x):\n        return fast.f(x)\nexcept ImportError:\n    def f(x):\n        return x\n"
QUOTED = b'def f(x):\n    """Say:\n\n    y = x + 1\n    """\n    y = x + 1\n    return y\n'
GENERIC = b"type Pair = tuple[int, int]\n\n\ndef first[T](items: list[T]) -> T:\n    return items[1]\n\n\nX = 1\n"
OLD_PYTHON = b"import sys\n\ndef hello(name):\n    print 'hello', name\n\ndef bye(name):\n    print 'bye', name\n"
WORDS = "class Gr\u00f6\u00dfe:\n    def l\u00e4nge(self, \u5024):\n        return \u5024 + 1\n\n\ndef \ufb01nd(x):\n    return x + 1\n"
STRINGS = b"class A:\n    def g(self):\n        text = '''\nfirst\n    second\n'''\n        return text\n\n\nB = 2\n"
WRAPPED = (
    b"import functools\n\n\n@functools.lru_cache(\n    maxsize=3,\n)\n"
    b"def f(\n    x,\n    y=(1,\n       2),\n):\n    return x \\\n        - 1\n"
)
ADD_UP = "    def add(self, row):\n        self.rows.append(row)"
TILL = (
    b"from dataclasses import dataclass\nfrom functools import singledispatch\n\nWIDTH, HEIGHT = 1, 2\nTABLE = {}\nTABLE['a'] = 1\n\n\n"
    b"@dataclass\nclass Till:\n    rows: list\n    rate: int = 1\n\n    def total(self):\n        return sum(self.rows) - self.rate\n\n\n"
    b"@singledispatch\ndef show(x):\n    return 0\n\n\n@show.register(int)\ndef _(x):\n    return 1\n\n\n"
    b"@show.register(str)\ndef _(x):\n    return 2\n\n\nhalf = lambda x: x / 3\n"
)
TOTAL = "    def total(self):\n        return sum(self.rows)"
GIVEN = "@dataclass\nclass Till:\n    rows: list\n    rate: int = 1"


def till(name: str, reply: str, *swaps: tuple[str, str]) -> Case:
    return lands(name, reply, *swaps, data=TILL)


CASES = (
    till("a class without the imports above it", block(PATH, f"{GIVEN}\n\n{TOTAL}"), (" - self.rate", "")),
    till("a field that a class gets", block(PATH, f"{GIVEN}\n    name: str = ''\n\n{TOTAL}"), (" - self.rate", ""), ("rate: int = 1\n", "rate: int = 1\n    name: str = ''\n")),
    till("a method that a class gets, below its name", block(f"{PATH} :: Till", f"class Till:\n{ADD_UP}"),
         ("- self.rate\n", f"- self.rate\n\n{ADD_UP}\n")),
    till("a method that a class gets, in the whole class", block(PATH, f"{GIVEN}\n\n{TOTAL} - self.rate\n\n{ADD_UP}"),
         ("- self.rate\n", f"- self.rate\n\n{ADD_UP}\n")),
    till("another decorator of a class", block(PATH, f"{GIVEN.replace('@dataclass', '@dataclass(frozen=True)')}\n\n{TOTAL}"),
         ("@dataclass\n", "@dataclass(frozen=True)\n"), (" - self.rate", "")),
    till("two values at once, and a function", block(PATH, f"WIDTH, HEIGHT = 3, 4\n\n\nclass Till:\n{TOTAL}"), ("HEIGHT = 1, 2", "HEIGHT = 3, 4"), (" - self.rate", "")),
    till("an item of a table, and a function", block(PATH, f"TABLE['a'] = 5\n\n\nclass Till:\n{TOTAL}"), ("['a'] = 1", "['a'] = 5"), (" - self.rate", "")),
    till("a function called `_`, by its decorator", block(f"{PATH} :: _", "@show.register(str)\ndef _(x):\n    return 3"), ("return 2", "return 3")),
    refused("a function called `_`, of which there are two", block(f"{PATH} :: _", "def _(x):\n    return 3"), "2 times", TILL),
    refused("a function for what is a value", block(f"{PATH} :: half", "def half(x):\n    return x / 2"), "in another form", TILL),
    refused("an accessor without what tells it from its namesakes", block(f"{PATH} :: Cart.prices", "    def prices(self, other):\n        return other"), "2 times.*decorators"),
    refused("an `await` outside of a coroutine", edit(PATH, "    return found - 1", "    return await found"), "does not parse"),
    refused("the same lines in two functions", edit(PATH, LOOP, LOOP.replace("0", "1")), "occur 2 times"),
    lands("the same lines, told apart by the next", edit(PATH, f"{LOOP}\n    return found - 1", f"{LOOP}\n    return found"),
          ("found - 1", "found")),
    lands("the same lines, told apart by the one before", edit(
        PATH, "def worth(prices):\n    found = 0", "def worth(prices):\n    found = 1"),
        ("def worth(prices):\n    found = 0", "def worth(prices):\n    found = 1")),
    refused("the same line at two depths", edit("shop/cart.py", "limit = 10", "limit = 11"), "occur 2 times"),
    refused("a piece of a line", edit(PATH, "found - 1", "found"), "whole lines"),
    lands("a line that begins like another", edit(PATH, "    return found", "    return found + 0"),
          ("    return found\n", "    return found + 0\n")),
    refused("the same line in a docstring and in code", edit(PATH, "    y = x + 1", "    y = x"), "occur 2 times", QUOTED),
    lands("a constant", edit(PATH, "LIMIT = 3", "LIMIT = 4"), ("LIMIT = 3", "LIMIT = 4")),
    lands("a constant of several lines", edit(PATH, '    "two",\n)', '    "two",\n    "three",\n)'),
          ('    "two",\n', '    "two",\n    "three",\n')),
    lands("a constant of a class", edit(PATH, "class Basket:\n    limit = 10", "class Basket:\n    limit = 11"),
          ("class Basket:\n    limit = 10", "class Basket:\n    limit = 11")),
    lands("a constant in a block with the function that reads it", block(
        PATH, "LIMIT = 4\n\n\ndef total(prices):\n    return sum(prices[:LIMIT])"), ("LIMIT = 3", "LIMIT = 4"),
        (f"def total(prices):\n{LOOP}\n    return found - 1", "def total(prices):\n    return sum(prices[:LIMIT])")),
    lands("attributes of a class in a block with one of its methods", block(
        PATH, "class Cart:\n    limit = 20\n    rate: float = 0.25\n\n    def __init__(self, prices):\n"
        "        self._prices = list(prices)"),
        ('A cart."""\n\n    limit = 10', 'A cart."""\n\n    limit = 20'), ("0.5", "0.25"),
        ("self._prices = prices", "self._prices = list(prices)")),
    lands("one attribute of a class in a block without methods", block(PATH, "class Cart:\n    limit = 20"),
          ('A cart."""\n\n    limit = 10', 'A cart."""\n\n    limit = 20')),
    lands("methods of one name, by the class in the heading", block(
        f"{PATH} :: Basket.count", "def count(self):\n    return 7"), ("        return 0\n\n    def total", "        return 7\n\n    def total")),
    lands("methods of one name, by the class around it", block(PATH, "class Basket:\n    def count(self):\n        return 7"),
          ("        return 0\n\n    def total", "        return 7\n\n    def total")),
    refused("methods of one name, nothing tells which", block(PATH, "def count(self):\n    return 7"), "defines count 2 times"),
    lands("a method and a function of one name, by self", block(PATH, "def total(self):\n    return 7"),
          ("    def total(self):\n        return 0", "    def total(self):\n        return 7")),
    lands("a method and a function of one name, by its absence", block(PATH, "def total(prices):\n    return sum(prices)"),
          (f"def total(prices):\n{LOOP}\n    return found - 1", "def total(prices):\n    return sum(prices)")),
    lands("a nested function", block(f"{PATH} :: Cart.count.inner", "def inner(items):\n    return len(items)"),
          ("len(items) + 1", "len(items)")),
    lands("a nested function as tracebacks call it", block(
        f"{PATH} :: Cart.count.<locals>.inner", "def inner(items):\n    return len(items)"), ("len(items) + 1", "len(items)")),
    lands("a method of a nested class", block(f"{PATH} :: Cart.Row.width", "def width(self):\n    return 2"),
          ("            return 1", "            return 2")),
    lands("a method of a nested class, classes around it", block(
        PATH, "class Cart:\n    class Row:\n        def width(self):\n            return 2"), ("            return 1", "            return 2")),
    lands("a static method without its decorator", block(f"{PATH} :: Cart.parse", 'def parse(text):\n    return re.findall(r"[0-9]+", text)'),
          ("\\d+", "[0-9]+")),
    lands("a property's getter", block(f"{PATH} :: Cart.prices", "@property\ndef prices(self):\n    return list(self._prices)"),
          ("return self._prices\n", "return list(self._prices)\n")),
    lands("a property's setter", block(f"{PATH} :: Cart.prices", "@prices.setter\ndef prices(self, value):\n    self._prices = value"),
          ("value[1:]", "value")),
    refused("getter or setter, nothing tells which", block(f"{PATH} :: Cart.prices", "def prices(self):\n    return 1"), "2 times"),
    lands("the implementation beside its overloads", block(f"{PATH} :: pick", "def pick(at):\n    return at"),
          ("    return LIMIT", "    return at")),
    lands("an async method", block(PATH, "class Cart:\n    async def load(self, source):\n        async for price in source:\n"
        "            self._prices.append(price + 1)"), ("append(price)", "append(price + 1)")),
    lands("an edit that deletes", edit(PATH, "    def total(self):\n        return 0", ""), ("    def total(self):\n        return 0\n", "")),
    lands("one edit builds on another", edit(PATH, "LIMIT = 3", "LIMIT = 4\nMORE = 5")
        + edit(PATH, "MORE = 5", "MORE = 6"), ("LIMIT = 3", "LIMIT = 4\nMORE = 6")),
    lands("an import and the function that needs it, as edits", edit(PATH, "import re", "import math\nimport re")
        + edit(PATH, "    return found - 1", "    return math.floor(found)"),
        ("import re\n", "import math\nimport re\n"), ("found - 1", "math.floor(found)")),
    lands("an import and the function that needs it, as a block", block(
        PATH, f"import math\n\n\ndef total(prices):\n{LOOP}\n    return math.floor(found)"),
        ("overload\n\nLIMIT", "overload\nimport math\n\nLIMIT"), ("found - 1", "math.floor(found)")),
    lands("an import that the function does not need is left away", block(
        PATH, f"import math\nfrom os import *\n\n\ndef total(prices):\n{LOOP}\n    return found"), ("found - 1", "found")),
    lands("of several imported names, those that are needed", block(
        PATH, "from typing import Any, overload\n\n\ndef pick(at: Any):\n    return at"),
        ("overload\n\nLIMIT", "overload\nfrom typing import Any\n\nLIMIT"), ("def pick(at):\n    return LIMIT", "def pick(at: Any):\n    return at")),
    lands("an import into a file that has none", block("shop/cart.py", "import math\n\n\ndef f(x):\n    return math.floor(x)"),
          ('"""F."""\n', '"""F."""\n\nimport math\n'), ("return x", "return math.floor(x)"),
          data=b'#!/usr/bin/env python\n"""F."""\n\n\ndef f(x):\n    return x\n\n\ndef g(x):\n    return x + 1\n'.replace(b"return x + 1", b"yield 1")),
    lands("a new helper beside the function that calls it", block(PATH, "def _sum(prices):\n    return sum(prices)\n\n\n"
        "def total(prices):\n    return _sum(prices)"),
        (f"def total(prices):\n{LOOP}\n    return found - 1", "def _sum(prices):\n    return sum(prices)\n\n\ndef total(prices):\n    return _sum(prices)")),
    lands("a new method beside the method that calls it", block(PATH, "class Basket:\n    def count(self):\n        return self._size()\n\n"
        "    def _size(self):\n        return 5"),
        ("        return 0\n\n    def total", "        return self._size()\n\n    def _size(self):\n        return 5\n\n    def total")),
    lands("a new constant beside the function that reads it", block(PATH, "ROUND = 2\n\n\ndef worth(prices):\n    return round(sum(prices), ROUND)"),
        (f"def worth(prices):\n{LOOP}\n    return found\n", "ROUND = 2\n\n\ndef worth(prices):\n    return round(sum(prices), ROUND)\n")),
    lands("an example beside the function is left away", block(PATH, f"def total(prices):\n{LOOP}\n    return found\n\n\n"
        "def test_total():\n    assert total([1]) == 1\n\n\nprint(total([1, 2]))"), ("found - 1", "found")),
    lands("an example whose variable is called like a constant", block(PATH, f"def total(prices):\n{LOOP}\n    return found\n\n\nLIMIT = total([1, 2])\nprint(LIMIT)"),
          ("found - 1", "found")),
    lands("an example whose variable is called like one of the function", block(PATH, f"def total(prices):\n{LOOP}\n    return found\n\n\nfound = total([1, 2])\nprint(found)"),
          ("found - 1", "found")),
    lands("an import that is called like a variable of the function", block(PATH, f"import found\n\n\ndef total(prices):\n{LOOP}\n    return found"), ("found - 1", "found")),
    lands("a new helper that is called like a word of a comment", block(PATH, f"def spare():\n    return 1\n\n\ndef total(prices):\n    # nothing to spare\n{LOOP}\n    return found"),
          ("def total(prices):\n    found", "def total(prices):\n    # nothing to spare\n    found"), ("found - 1", "found")),
    lands("a helper of a helper, an import and a class, all of them new", block(
        PATH, "from math import floor\n\n\nclass Sum:\n    def of(self, prices):\n        return _down(sum(prices))\n\n\ndef _down(x):\n    return floor(x)\n\n\n"
        "def total(prices):\n    return Sum().of(prices)"),
        ("overload\n\nLIMIT", "overload\nfrom math import floor\n\nLIMIT"),
        (f"def total(prices):\n{LOOP}\n    return found - 1", ("class Sum:\n    def of(self, prices):\n        return _down(sum(prices))\n\n\ndef _down(x):\n    return floor(x)\n\n\n"
         "def total(prices):\n    return Sum().of(prices)"))),
    lands("a function that is new, named in the heading", block(f"{PATH} :: mean", "def mean(prices):\n    return worth(prices) / len(prices)"),
        ("    def total(self):\n        return 0\n", "    def total(self):\n        return 0\n\n\ndef mean(prices):\n    return worth(prices) / len(prices)\n")),
    lands("a method that is new, named in the heading", block(f"{PATH} :: Basket.mean", "def mean(self):\n    return 1"),
        ("    def total(self):\n        return 0\n", "    def total(self):\n        return 0\n\n    def mean(self):\n        return 1\n")),
    refused("a function that is nowhere, the heading names none", block(PATH, "def mean(prices):\n    return 1"), "leaves out|defines no"),
    refused("a method of a class that is nowhere", block(f"{PATH} :: Shop.mean", "def mean(self):\n    return 1"), "defines no|no class"),
    refused("a function that two branches define", block(PATH, "def f(x):\n    return x + 1"), "defines f 2 times", BRANCHES),
    lands("a newer Python than ours, an edit", edit(PATH, "    return items[1]", "    return items[0]"), ("items[1]", "items[0]"), data=GENERIC),
    lands("a newer Python than ours, a whole function", block(f"{PATH} :: first", "def first[T](items: list[T]) -> T:\n    return items[0]"),
          ("items[1]", "items[0]"), data=GENERIC),
    lands("an older Python than ours, an edit", edit(PATH, "    print 'bye', name", "    print 'goodbye', name"), ("'bye'", "'goodbye'"), data=OLD_PYTHON),
    lands("names in other scripts", block(f"{PATH} :: Gr\u00f6\u00dfe.l\u00e4nge", "def l\u00e4nge(self, \u5024):\n    return \u5024"),
          ("\u5024 + 1", "\u5024"), data=WORDS.encode()),
    lands("a name in another spelling of the same letters", block(f"{PATH} :: find", "def find(x):\n    return x"),
          ("def \ufb01nd(x):\n    return x + 1", "def find(x):\n    return x"), data=WORDS.encode()),
    lands("a string of several lines inside of a method", block(f"{PATH} :: A.g", "def g(self):\n    text = '''\nfirst\n    second\n'''\n    return text + '!'"),
          ("return text", "return text + '!'"), data=STRINGS),
    lands("decorators and arguments over several lines", block(f"{PATH} :: f", "def f(\n    x,\n    y=(1,\n       2),\n):\n    return x"),
          ("x \\\n        - 1", "x"), data=WRAPPED),
    lands("new decorators take the place of the old", block(f"{PATH} :: f", "@functools.cache\ndef f(\n    x,\n    y=(1,\n       2),\n):\n    return x"),
          ("lru_cache(\n    maxsize=3,\n)", "cache"), ("x \\\n        - 1", "x"), data=WRAPPED),
    lands("a class whose bases change", block(PATH, "class Basket(Cart):\n    limit = 10\n\n    def count(self):\n        return 0"),
          ("class Basket:", "class Basket(Cart):")),
)  # fmt: skip
