import pytest

from bot.errors import CollectionFailedError, SetUpError
from bot.repair.solving.hidden_tests import IMPORT, OWN_CLOSING_LINE, SCRIPT_FILE, Kind, read, with_import

UNITTEST = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(), 1)\n"
PYTEST = "import pytest\n\ndef test_a():\n    assert f() == 1\n"
SCRIPT = 'def test_a():\n    assert f() == 1\n\ntest_a()\nprint("OK")\n'


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (UNITTEST, Kind.UNITTEST),
        (UNITTEST + 'if __name__ == "__main__":\n    unittest.main()\n', Kind.UNITTEST),
        (UNITTEST + 'unittest.main(exit=False)\nprint("done")\n', Kind.UNITTEST),
        ("from unittest import TestCase as TestCase\nclass A(TestCase): pass\n", Kind.UNITTEST),
        (PYTEST, Kind.PYTEST),
        ("class TestA:\n    def test_a(self): assert f() == 1\n", Kind.PYTEST),
        (PYTEST + 'if __name__ == "__main__":\n    test_a()\n    print("ok")\n', Kind.PYTEST),
        (SCRIPT, Kind.SCRIPT),
        ('assert f() == 1\nprint("OK")\n', Kind.SCRIPT),
        ("assert f() == 1\n", Kind.SCRIPT),
        (PYTEST + "test_a()\n", Kind.SCRIPT),
    ],
)
def test_the_kind_is_read_from_the_code(source: str, kind: Kind) -> None:
    assert read(source).kind is kind


def test_unittest_and_pytest_files_run_as_pytest_and_scripts_as_themselves() -> None:
    assert read(UNITTEST).recipe.test_command == ("python", "-m", "pytest")
    assert read(SCRIPT).recipe.test_command == ("python3", SCRIPT_FILE)
    assert (read(SCRIPT).recipe.ecosystem, read(SCRIPT).recipe.install) == ("script", ())


@pytest.mark.parametrize(
    ("tail", "closing"),
    [
        ('print("ALL TESTS PASSED")', "ALL TESTS PASSED"),
        ('print("one\\ntwo\\n")', "two"),
        ('if __name__ == "__main__":\n    print("ok")', "ok"),
        ('def main():\n    print("ok")\nmain()', "ok"),
        ('if bad:\n    print("no")\n    raise SystemExit(1)\nelse:\n    print("ok")', "ok"),
        ("f()", OWN_CLOSING_LINE),
    ],
)
def test_a_script_is_believed_by_the_last_line_that_it_prints_itself(tail: str, closing: str) -> None:
    assert read(f"assert f() == 1\n{tail}\n").recipe.closing_line == closing


def test_a_script_that_prints_nothing_is_given_a_closing_line() -> None:
    assert read("assert f() == 1\n").source.endswith(f'print("{OWN_CLOSING_LINE}")\n')


@pytest.mark.parametrize(
    "tail",
    [
        'print("ok" if good else "bad")',
        'if good:\n    print("ok")\nelse:\n    print("bad")',
        'print(f"{n} passed")',
        'print("ok", file=log)',
        "def main():\n    print('x')\n    main()\nmain()",
    ],
)
def test_a_script_whose_verdict_cannot_be_told_is_refused(tail: str) -> None:
    with pytest.raises(SetUpError, match="verdict cannot be told"):
        read(f"good = f() == 1\n{tail}\n")


def test_tests_that_do_not_parse_are_refused_with_their_line() -> None:
    with pytest.raises(CollectionFailedError, match="line 2"):
        read("x = 1\ndef (:\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import unittest\nx = 1", f"{IMPORT}; import unittest\nx = 1"),
        ('"""Doc."""\nimport unittest\n', f'"""Doc."""\n{IMPORT}; import unittest\n'),
        ('"""Doc\nstring."""\ndef test_a(): ...\n', f'"""Doc\nstring."""; {IMPORT}\ndef test_a(): ...\n'),
        ('"""Dök."""; x = 1\n', f'"""Dök."""; {IMPORT}; x = 1\n'),
        (
            '"""D."""\nfrom __future__ import annotations  # why\n@x\nclass A: ...\n',
            f'"""D."""\nfrom __future__ import annotations; {IMPORT}  # why\n@x\nclass A: ...\n',
        ),
        ("# c\n\n@x\ndef test_a(): ...", f"# c\n{IMPORT}\n@x\ndef test_a(): ..."),
        ("", IMPORT),
    ],
)
def test_the_import_moves_no_line(source: str, expected: str) -> None:
    assert with_import(source) == expected


def test_where_a_definition_comes_first_lines_move_down_by_one() -> None:
    assert with_import("def test_a(): ...\n") == f"{IMPORT}\ndef test_a(): ...\n"


@pytest.mark.parametrize("source", ["from solution import f\n", "import solution\n", "def g():\n    import solution\n"])
def test_tests_that_import_the_solution_themselves_stay_as_they_are(source: str) -> None:
    assert with_import(source) == source


def test_a_runner_at_the_top_level_is_left_out_and_no_line_moves() -> None:
    source = read(UNITTEST + "unittest.main(\n    exit=False,\n)\nx = 1\n").source

    assert source.split("\n")[3:] == ["pass", "", "", "x = 1", ""]


def test_windows_line_ends_and_a_byte_order_mark_are_no_obstacle() -> None:
    assert read("\ufeffimport pytest\r\ndef test_a(): assert f()\r\n").source.startswith(f"{IMPORT}; import pytest\n")
