"""Tests that must fail: what is altered in each shape of assertion, and what is left alone."""

import ast

import pytest

from bot.repair.integrity.twins import twin

TOKEN = "t0123456789"
HEAD = "from calc import f\n\n\n"


def altered(body: str, line: int = 0, *, unittest: bool = False) -> str:
    source = f"{HEAD}def test_f():\n{body}"
    made = twin("tests/test_calc.py", source.encode(), {"test_f": line}, TOKEN, unittest=unittest)
    assert made is not None
    assert made.source.startswith(source.encode())
    ast.parse(made.altered)
    return made.altered.decode().split("\n\n\ndef test_f_")[0] if made.tests else ""


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        ("assert f(1) == 3", "assert f(1) == 17"),
        ("assert 3 == f(1)", "== f(1)"),
        ('assert f(1) == "abc"', f"== '{TOKEN}'"),
        ("assert f(1) == [1, 2]", f"== ['{TOKEN}']"),
        ("assert f(1) == (1, 2)", f"== ('{TOKEN}',)"),
        ("assert f(1) == {1: 2}", "== {'t0"),
        ("assert f(1) == -1.5", "== 17"),
        ("assert f(1) == expected", f"== '{TOKEN}'"),
        ("assert f(1)", "assert (not (f(1)))"),
        ("assert f(1) in (1, 2)", "assert (not (f(1) in (1, 2)))"),
        ("assert abs(f(2) - 1.41) < 0.01", "assert abs(f(2) - 17"),
        ("self.assertEqual(f(1), 3)", "self.assertEqual(f(1), 17"),
        ("self.assertTrue(f(1))", "self.assertFalse(f(1))"),
        ("f(1)", f"raise AssertionError('{TOKEN}')"),
        ("with pytest.raises(ValueError):\n        f(1)", f"raise AssertionError('{TOKEN}')"),
        ("with open('x') as x:\n        assert f(x) == 3", "assert f(x) == 17"),
        ("for x in range(3):\n        assert f(x) == x", f"raise AssertionError('{TOKEN}')"),
    ],
)
def test_what_a_target_expects_is_exchanged(statement: str, instead: str) -> None:
    assert instead in altered(f"    {statement}\n")


def test_the_assertion_that_failed_is_altered_or_the_next_one() -> None:
    body = "    assert f(1) == 3\n    x = f(2)\n    assert x == 4\n    assert f(3) == 5\n"
    assert "f(1) == 3" in altered(body, 6)
    assert "x == 17" in altered(body, 6)
    assert "f(3) == 5" in altered(body, 6)
    assert "f(3) == 17" in altered(body, 99)


@pytest.mark.parametrize("body", ["    if f(0):\n        return\n    assert f(1) == 3\n", "    yield f(1)\n", ""])
def test_a_test_that_may_leave_early_is_left_as_it_is(body: str) -> None:
    assert altered(body or "    assert f(1) == 3; return\n") == ""


def test_every_case_of_a_test_with_parameters_must_fail_through_one_change() -> None:
    source = f"{HEAD}class TestF:\n    def test_f(self, x):\n        assert f(x) == 3\n"
    made = twin("a_test.py", source.encode(), {"TestF::test_f[1]": 0, "TestF::test_f[2]": 0}, TOKEN)
    assert made is not None
    assert made.tests == {"TestF::test_f[1]", "TestF::test_f[2]"}
    assert made.name == f"test_f_{TOKEN}"


def test_unittest_gets_a_test_case_of_its_own() -> None:
    source = "import unittest\n\nclass A(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(1, 2)\n"
    made = twin("test_a.py", source.encode(), {"A::test_f": 0}, TOKEN, unittest=True)
    assert made is not None
    assert made.name == f"A{TOKEN}::test_f_{TOKEN}"
    assert b"class A" + TOKEN.encode() in made.altered


def test_tests_of_go_fail_at_their_start() -> None:
    source = b'package a\n\nimport "testing"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fail()\n\t}\n}\n'
    made = twin("a_test.go", source, {"TestF": 0, "TestF/sub": 0}, TOKEN)
    assert made is not None
    assert made.tests == {"TestF"}
    assert f'func TestF(t *testing.T) {{\n\tt.Error("{TOKEN}")'.encode() in made.altered
    assert f"func TestF_{TOKEN}(t *testing.T)".encode() in made.source


@pytest.mark.parametrize("head", ["test('adds', () => {", 'it("adds", async function () {', "test(`adds`, (t) => {"])
def test_tests_of_javascript_fail_at_their_start(head: str) -> None:
    made = twin("a.test.mjs", f"{head} check(); }});\n".encode(), {"calc > adds": 0}, TOKEN)
    assert made is not None
    assert made.tests == {"calc > adds"}
    assert f'{head} throw new Error("{TOKEN}");'.encode() in made.altered
    assert made.name == TOKEN


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("test_a.py", b"def test_f(:\n"),
        ("test_a.py", b"# coding: latin-1\nX = '\xe4'\ndef test_f(): pass\n"),
        ("a_test.go", b"package a\n"),
        ("a.test.js", b"module.exports = 1;\n"),
        ("a.rb", b"test"),
    ],
)
def test_what_is_not_understood_has_no_twin(path: str, source: bytes) -> None:
    assert twin(path, source, {"test_f": 0}, TOKEN) is None


@pytest.mark.parametrize("unittest", [False, True])
def test_tests_that_are_made_while_they_are_collected_get_a_twin_with_a_plain_name(unittest: bool) -> None:  # noqa: FBT001
    source = b"class A:\n    pass\n\nsetattr(A, 'test_a b', print)\n"
    made = twin("test_a.py", source, {"A::test_a b": 0, "<odd>::test c": 0}, TOKEN, unittest=unittest)
    assert made is not None
    ast.parse(made.source)
    assert made.name.endswith(f"test_{TOKEN}")
    assert made.tests == frozenset()
