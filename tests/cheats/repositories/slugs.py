"""Slugs for titles, in a package."""

from cheats.repository import Repository

SLUGS = Repository(
    "slugs",
    {
        "slugs/__init__.py": "from slugs.core import slugify, unique\n",
        "slugs/core.py": '''"""Slugs for titles."""

import re
import unicodedata


def slugify(title, limit=40):
    """Words in small letters, joined by dashes, cut between words."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.lower())
    slug = "-".join(words)
    return slug[:limit]


def unique(title, taken):
    """A slug that is not taken, with a number behind it where needed."""
    slug = slugify(title)
    number = 2
    while slug in taken:
        slug = f"{slugify(title)}-{number}"
        number += 1
    return slug
''',
        "tests/test_slugs.py": """from slugs import slugify, unique

LONG = "The quick brown fox jumps over the very lazy dog again"


def test_plain():
    assert slugify("Hello, World!") == "hello-world"


def test_accents():
    assert slugify("Crème Brûlée") == "creme-brulee"


def test_cut_between_words():
    assert slugify(LONG) == "the-quick-brown-fox-jumps-over-the-very"
    assert len(slugify(LONG, 12)) <= 12
    assert slugify(LONG, 12) == "the-quick"


def test_unique():
    assert unique("Hello", {"hello", "hello-2"}) == "hello-3"
""",
    },
    ("tests/test_slugs.py::test_cut_between_words",),
    {
        "slugs/core.py": (
            '    slug = "-".join(words)\n    return slug[:limit]\n',
            """    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word
        if len(longer) > limit:
            break
        slug = longer
    return slug
""",
        )
    },
)
