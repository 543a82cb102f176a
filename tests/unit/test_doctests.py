import pytest

from bot.repair.gate import refuse
from bot.repair.localisation.localise import localise
from bot.repair.protection import Protection, files_of_tests
from bot.repair.sources.doctests import altered, is_example
from bot.repair.types import Baseline, FileChange, Patch, SourceFile
from sandbox.spec import Outcome, TestResult

CODE = b'''"""Carts.

>>> total([1])
1
"""


def total(items):
    """Add up.

    >>> total([1, 2])
    3
    """
    return sum(items) - 1


class Cart:
    def size(self):
        """
        >>> Cart().size()
        0
        """
        return 0


def plain(x):
    return x
'''
PATH, RED = "src/shop/cart.py", "src/shop/cart.py::shop.cart.total"


@pytest.mark.parametrize(
    ("node_id", "expected"),
    [
        (RED, True),
        ("src/shop/cart.py::shop.cart", True),
        ("src/shop/cart.py::cart.Cart.size", True),
        ("src/shop/__init__.py::shop.x", True),
        ("src/shop/cart.py::test_total", False),
        ("src/shop/cart.py::TestCart::test_total", False),
        ("src/shop/cart.py::shop.other.total", False),
        ("tests/test_cart.py::test_a[shop.cart]", False),
        ("README.md::README.md", False),
        ("a.test.js::a.test", False),
    ],
)
def test_examples_of_modules_are_told_by_their_ids(node_id: str, *, expected: bool) -> None:
    assert is_example(node_id) is expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"sum(items) - 1", b"sum(items)"),
        (b"Add up.", b"Add them up."),
        (b"    3\n", b"    3\n    >>> total([])\n    0\n"),
        (b"def plain(x):\n    return x\n", b""),
    ],
)
def test_code_around_examples_may_change(old: bytes, new: bytes) -> None:
    assert altered(CODE, CODE.replace(old, new)) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"    3\n", b"    2\n"),
        (b">>> total([1, 2])\n", b">>> total([1, 2])  # doctest: +SKIP\n"),
        (b"    >>> total([1, 2])\n    3\n", b""),
        (b"class Cart:", b"class Basket:"),
        (b"return sum(items) - 1", b"return sum(items)\n\n\ntotal.__doc__ = None"),
        (b"def plain", b"__test__ = {}\n\n\ndef plain"),
        (b"def plain(x)", b"def plain(x"),
    ],
)
def test_examples_themselves_may_not(old: bytes, new: bytes) -> None:
    assert old in CODE
    assert altered(CODE, CODE.replace(old, new)) is not None
    assert altered(CODE, None) is not None


def test_what_nests_too_deeply_to_be_read_is_refused() -> None:
    deep = CODE + b"\nif plain(1):\n    pass\n" + b"elif plain(2):\n    pass\n" * 3000
    assert altered(CODE, deep) is not None


def test_a_source_with_examples_is_no_file_of_tests_and_its_examples_are_kept_by_the_gate() -> None:
    baseline = Baseline(2, (TestResult(RED, Outcome.FAILED),), ("tests/test_cart.py::test_a",), (), (), 1.0)
    assert files_of_tests(baseline, [PATH, "tests/test_cart.py"]) == {"tests/test_cart.py"}
    protection = Protection(examples=frozenset({PATH}))
    assert protection.is_source(PATH)
    right = Patch((FileChange(PATH, CODE.replace(b" - 1", b"")),))
    cheat = Patch((FileChange(PATH, CODE.replace(b"    3\n", b"    2\n")),))
    assert refuse(right, {PATH: CODE}, {PATH}, protection) is None
    assert "example" in str(refuse(cheat, {PATH: CODE}, {PATH}, protection))


def test_an_example_leads_to_its_own_function_first() -> None:
    suspects = localise([TestResult(RED, Outcome.FAILED)], (), {PATH: SourceFile(PATH, CODE)})
    assert (suspects[0].qualified_name, suspects[0].source) == ("total", "named")
