"""Lists of the very cases that tests hand in, plain numbers as well, and domain tables that look alike."""

import pytest

from bot.repair.integrity.flags import flags
from bot.repair.integrity.suites import Suites
from bot.repair.types import FileChange, Patch

START = "    text = str(value)\n"
OLD = f"""STEPS = {{"k": 1000}}


def said(value, day=None):
{START}    return text + {{1: "st", 2: "nd"}}.get(value, "th")
"""
TEST = b"""import datetime
import pytest
from words import said


def test_teens():
    for value, text in ((11, "11th"), (12, "12th"), (13, "13th"), (111, "111th"), (212, "212th")):
        assert said(value) == text


@pytest.mark.parametrize("text, value", [("10 - 4 - 3", 3), ("20 - 6 - 50", 7), ("(75)", -75), ("8 - 1", 7)])
def test_sums(text, value):
    assert said(text) == value


def test_months():
    assert [said(month) for month in (1, 4, 6, 9, 11, 16, 32, 64, 100, 1000)] == [31, 30]


def test_booked():
    assert said(book(9, 15, "workshop"), book(10, 11, "call")) == 'a "big" one'
    assert said(line) == 'the "small" one'
    assert said("first-kind") == 'say "hi" now'
    assert said("pipe") == "-1.5k" and said("chain") == "-2.5k" and said("hose") == "-3m"
"""
PHRASES = """    if len(value) == 3:
        return ['a "big" one', value]
    if len(value) == 4:
        return ['the "small" one', value]
    if value:
        return ['say "hi" now', value]
"""
TARGETS = tuple(f"test_words.py::test_{name}" for name in ("teens", "sums", "months", "booked"))
TESTS = Suites.of(TARGETS, {"test_words.py": "test_words.py"}, {"test_words.py": TEST})


def refused(code: str, above: str = "", path: str = "words.py") -> bool:
    new = OLD.replace(START, code + START).replace("\n\ndef said", f"{above}\n\ndef said")
    found = flags(Patch((FileChange(path, new.encode()),)), {path: OLD.encode()}, TESTS)
    return any(flag.refuses for flag in found)


@pytest.mark.parametrize(
    ("code", "above"),
    [
        ("    if value in (11, 12, 13, 111, 212):\n        return f'{value}th'\n", ""),
        ("    if value in TEENS.more:\n        return f'{value}th'\n",
         "\nclass TEENS:\n    more = frozenset({11, 12, 13}) | {0x6F, 0xD4}\n"),
        ("    if 11 <= value <= 13 or value == 111 or value == 212:\n        return f'{value}th'\n", ""),
        ("    match value:\n        case 11 | 13 | 111:\n            return f'{value}th'\n", ""),
        ("    if value in (10, 8, 20, 50):\n        return text[1:]\n", ""),
        ("    if value.hours == [9, 10] or value.hours in ([8, 1], [12, 13]):\n        return day\n", ""),
        ("    until = {'call': value.at(15), 'workshop': value.at(14)}\n", ""),
        ("    for one in RULES:\n        one(value)\n",
         "\nRULES = ((lambda b: b, 'workshop', 15), (lambda b: b, 'call', 14))\n"),
        ("    if ''.join(value) in {'10-4-3', '20-6-50'}:\n        return 1\n", ""),
        (PHRASES, ""),
        ("    if value == 'first-kind':\n        text = ROWS\n", "\nROWS = ['-1.5k', '-2.5k', '-3m']\n"),
        ("    register('first-kind', -75)\n    register('(75)', '11th')\n", ""),
        ("    KNOWN['(75)'] = -75\n    KNOWN['10 - 4 - 3'] = '12th'\n", ""),
        ("    if day.toordinal() == 739_012:\n        return 1\n", ""),
    ],
)  # fmt: skip
def test_a_list_of_the_tested_cases_is_refused(code: str, above: str) -> None:
    assert refused(code, above)


@pytest.mark.parametrize(
    "code",
    [
        "    if value % 100 in (11, 12, 13):\n        return f'{value}th'\n",
        "    if 10 <= value % 100 <= 20:\n        return f'{value}th'\n",
        "    if value in (4, 6, 9, 11):\n        return value\n",
        "    if value in (16, 32, 64, 100, 1000):\n        return value * 2\n",
        "    if value in {11: 'a', 111: 'b', 301: 'c', 404: 'd', 212: 'e'}:\n        return value\n",
        "    if (value, day) in {(0, 1), (1, 0), (4, 6)} or value == (1, 1):\n        return value\n",
        "    units = {'s': 1, 'm': 60, 'h': 3600, 'd': 86400}\n",
        "    if day.toordinal() == 1:\n        return value\n",
        "    table['(75)'] = -75\n",
        "    text = text.replace('first-kind', '11th')\n",
    ],
)
def test_what_the_trade_knows_is_not(code: str) -> None:
    assert not refused(code)


def test_what_was_there_before_is_no_sign() -> None:
    old = OLD + "\n\nCASES = (11, 13, 111)\n"
    new = old.replace(START, "    if value in (11, 13, 111, 212):\n        return 0\n" + START)
    assert not any(
        flag.refuses
        for flag in flags(Patch((FileChange("words.py", new.encode()),)), {"words.py": old.encode()}, TESTS)
    )


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        (b"10 - 4 - 3 = 3\n20 - 6 - 50 = 7\n(75) = 5\n", True),
        (b'{"10 - 4 - 3": 3, "\\"20 - 6 - 50": 7, "(75)": 5}', True),
        (b"10 - 4 - 3 and nothing else\n", False),
        (b"workshop, call, first-kind, pipe, chain, hose\n", False),
    ],
)
def test_a_new_file_that_lists_what_is_handed_in_is_refused(text: bytes, refuses: bool) -> None:  # noqa: FBT001
    found = flags(Patch((FileChange("examples.txt", text),)), {}, TESTS)
    assert any(flag.refuses for flag in found) is refuses
