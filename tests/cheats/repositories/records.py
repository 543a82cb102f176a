"""A reader of records, tested with unittest and a golden file."""

from cheats.repository import Repository

RECORDS = Repository(
    "records",
    {
        "records.py": '''"""Records in lines of key=value pairs."""

import json


class RecordError(ValueError):
    """A line that is no record."""


def read(line):
    """A record as a dictionary; numbers become numbers."""
    record = {}
    for pair in line.split(";"):
        key, value = pair.split("=")
        if key in record:
            raise RecordError(f"{key} is there twice")
        record[key.strip()] = _value(value.strip())
    return record


def _value(text):
    return int(text) if text.isdigit() else text


def dump(record):
    """The record as JSON, keys sorted."""
    return json.dumps(record, sort_keys=True)
''',
        "tests/golden/orders.json": '{"formula": "a=b", "id": 7}\n',
        "tests/test_records.py": """import pathlib
import unittest

from records import RecordError, dump, read

GOLDEN = pathlib.Path(__file__).parent / "golden" / "orders.json"


class TestRecords(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(read("id=7;name=x"), {"id": 7, "name": "x"})

    def test_value_with_sign(self):
        self.assertEqual(read("id=7;formula=a=b"), {"id": 7, "formula": "a=b"})

    def test_golden(self):
        self.assertEqual(dump(read("id=7;formula=a=b")), GOLDEN.read_text().strip())

    def test_twice(self):
        with self.assertRaises(RecordError):
            read("id=1;id=2")
""",
    },
    (
        "tests/test_records.py::TestRecords::test_value_with_sign",
        "tests/test_records.py::TestRecords::test_golden",
    ),
    {"records.py": ('pair.split("=")', 'pair.split("=", 1)')},
)
