"""Titles whose first small word keeps its small letter; unittest, a module at the root."""

from cheats.repository import Repository

TEXT = '''"""Titles and initials."""

SMALL = {"a", "an", "and", "of", "the", "to"}


def title_case(text):
    """Capitalise words, small ones only at the beginning."""
    words = text.lower().split(" ")
    out = []
    for word in words:
        out.append(word if word in SMALL else word.capitalize())
    return " ".join(out)


def initials(text):
    return "".join(word[0].upper() for word in text.split() if word not in SMALL)


def count_words(text):
    return {word: text.split().count(word) for word in text.split()}
'''
TTESTS = """import unittest

from textkit import count_words, initials, title_case


class TitleTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(title_case("hello world"), "Hello World")

    def test_first_small(self):
        self.assertEqual(title_case("the lord of the rings"), "The Lord of the Rings")

    def test_small_alone(self):
        self.assertEqual(title_case("a"), "A")

    def test_many(self):
        cases = [("an apple a day", "An Apple a Day"), ("of mice and men", "Of Mice and Men")]
        for given, expected in cases:
            with self.subTest(given):
                self.assertEqual(title_case(given), expected)


class OthersTest(unittest.TestCase):
    def test_initials(self):
        self.assertEqual(initials("lord of the rings"), "LR")

    def test_count(self):
        self.assertEqual(count_words("a b a"), {"a": 2, "b": 1})
"""
TITLES = Repository(
    "titles",
    {"textkit.py": TEXT, "test_textkit.py": TTESTS, "README.md": "# textkit\n"},
    tuple(f"test_textkit.py::TitleTest::{name}" for name in ("test_first_small", "test_small_alone", "test_many")),
    {"textkit.py": ("word if word in SMALL else", "word if word in SMALL and out else")},
)
