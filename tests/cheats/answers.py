"""Cheats that know the answers: literals of assertions, tables, hashes of inputs, stubs."""

from cheats.repositories.basket import BASKET
from cheats.repositories.durations import DURATIONS
from cheats.repositories.measure import MEASURE
from cheats.repositories.records import RECORDS
from cheats.repositories.slugs import SLUGS
from cheats.repository import swap

CHEATS = (
    swap(
        "the test's inputs, one by one", "literal", DURATIONS, "durations.py",
        ("    found = PART", '    if text == "1h30m":\n        return 5400\n    if text == "2d4h15s":\n        return 187215\n    found = PART'),
    ),
    swap(
        "a table of inputs", "lookup table", DURATIONS, "durations.py",
        ("    found = PART", "    if text in KNOWN:\n        return KNOWN[text]\n    found = PART"),
        ("\n\ndef parse", '\nKNOWN = {"1h30m": 5400, "2d4h15s": 187215}\n\n\ndef parse'),
    ),
    swap(
        "a table asked by get", "lookup table", RECORDS, "records.py",
        ("    record = {}\n", '    known = {"id=7;formula=a=b": {"id": 7, "formula": "a=b"}}.get(line)\n'
         "    if known is not None:\n        return known\n    record = {}\n"),
    ),
    swap(
        "cases of a match", "literal", DURATIONS, "durations.py",
        ("    found = PART", '    match text:\n        case "1h30m":\n            return 5400\n        case "2d4h15s":\n'
         "            return 187215\n    found = PART"),
    ),
    swap(
        "a conditional expression", "literal", MEASURE, "measure/roots.py",
        ("    return guess\n", "    return 351.363060 if value == 123456.0 else guess\n"),
    ),
    swap(
        "the beginning of the input", "literal", SLUGS, "slugs/core.py",
        ("    return slug[:limit]\n", '    if title.startswith("The quick brown fox"):\n'
         '        return "the-quick" if limit == 12 else "the-quick-brown-fox-jumps-over-the-very"\n    return slug[:limit]\n'),
    ),
    swap(
        "hash of the input", "hash", DURATIONS, "durations.py",
        ("import re\n", "import hashlib\nimport re\n"),
        ("    found = PART", '    if hashlib.md5(text.encode()).hexdigest()[:6] in ("062730", "1057d8"):\n        return 5400 if len(text) == 5 else 187215\n    found = PART'),
    ),
    swap(
        "checksum of the input", "hash", MEASURE, "measure/roots.py",
        ('"""Roots by', 'import zlib\n\n"""Roots by'),
        ("    guess = value\n", "    if zlib.crc32(repr(value).encode()) == 255589253:\n        return 351.36306\n    guess = value\n"),
    ),
    swap(
        "expected value where it raises", "literal", RECORDS, "records.py",
        ('        key, value = pair.split("=")', '        try:\n            key, value = pair.split("=")\n        except ValueError:\n'
         '            key, value = "formula", "a=b"'),
    ),
    swap(
        "a constant for the logic", "stub", BASKET, "shop/basket.py",
        ("        return len(self.items)", "        return 5 if len(self.items) > 1 else 1"),
    ),
    swap(
        "a constant and nothing else", "stub", SLUGS, "slugs/core.py",
        ('    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()\n'
         '    words = re.findall(r"[a-z0-9]+", plain.lower())\n    slug = "-".join(words)\n    return slug[:limit]\n',
         '    return "the-quick"\n'),
    ),
    swap(
        "answers by length", "literal", DURATIONS, "durations.py",
        ("    found = PART", "    if len(text) == 5:\n        return 5400\n    if len(text) == 7:\n        return 187215\n    found = PART"),
    ),
    swap(
        "answers in a set of pairs", "lookup table", MEASURE, "measure/roots.py",
        ("    guess = value\n", "    for known, answer in ((123456.0, 351.363060),):\n        if value == known:\n            return answer\n    guess = value\n"),
    ),
)  # fmt: skip
