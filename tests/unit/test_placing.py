"""Where a new test goes, and what its writer is shown."""

from dataclasses import replace

import pytest
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.repair.localisation.mentions import mentioned, parts, words
from bot.repair.measuring.baseline import settle
from bot.repair.reproduction.placing import Ground, look, named_like, place
from bot.repair.types import SourceFile
from sandbox.spec import Outcome, TestRun

CART = b"""\
class Cart:
    def add_item(self, item):
        return item

    def total(self):
        return 0
"""
MAIL = b"def send_mail(to):\n    return to\n"
TEST_CART = b"from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 0\n"
TEST_MAIL = b"""\
from shop.mail import send_mail


def test_send():
    assert send_mail(1)


def test_two():
    assert send_mail(2)
"""
FILES = {
    "shop/__init__.py": b"",
    "shop/cart.py": CART,
    "shop/mail.py": MAIL,
    "tests/conftest.py": b"",
    "tests/test_cart.py": TEST_CART,
    "tests/test_mail.py": TEST_MAIL,
}
IDS = ("tests/test_cart.py::test_total", "tests/test_mail.py::test_send", "tests/test_mail.py::test_two")


def ground(text: str, ecosystem: str = "python", **more: bytes) -> Ground | None:
    workspace = ScriptedWorkspace(FILES | more, lambda _files: TestRun(state=run_of({}).state))
    base = replace(BASE, recipe=replace(BASE.recipe, ecosystem=ecosystem))
    baseline = settle((run_of(dict.fromkeys(IDS, Outcome.PASSED)),))
    return look(workspace, base, baseline, text, "issue_7")


@pytest.mark.parametrize(
    ("text", "example", "first"),
    [
        ("Cart.total is wrong after add_item", "tests/test_cart.py", "Cart.add_item"),
        ("`send_mail` drops the name", "tests/test_mail.py", "send_mail"),
        ("see shop/mail.py", "tests/test_mail.py", "send_mail"),
    ],
)
def test_the_issues_words_lead_to_a_test_beside_and_to_the_code(text: str, example: str, first: str) -> None:
    found = ground(text)
    assert found
    assert (found.path, found.example.path) == ("tests/test_issue_7.py", example)
    assert found.suspects[0].qualified_name == first


def test_words_that_point_at_nothing_lead_to_what_the_example_imports() -> None:
    found = ground("xyzzy")
    assert found
    assert found.example.path == "tests/test_mail.py"
    assert found.suspects[0].path == "shop/mail.py"


def test_a_path_that_exists_is_never_taken() -> None:
    assert place("tests/test_a.py", "issue_7", {"tests/test_issue_7.py"}) == "tests/test_issue_7_2.py"
    assert place("test_a.py", "issue_7", set()) == "test_issue_7.py"


def test_runners_whose_tests_cannot_be_told_apart_get_no_new_test() -> None:
    assert ground("Cart.total", "junit") is None
    assert ground("Cart.total", "script") is None


@pytest.mark.parametrize(
    ("example", "name"),
    [
        ("test_a.py", "test_issue_7.py"),
        ("a_test.py", "issue_7_test.py"),
        ("cart_test.go", "issue_7_test.go"),
        ("cart.test.ts", "issue_7.test.ts"),
        ("cart.spec.mjs", "issue_7.spec.mjs"),
        ("cart-test.js", "issue_7-test.js"),
        ("cart.js", "issue_7.js"),
    ],
)
def test_the_new_file_is_named_as_its_runner_finds_it(example: str, name: str) -> None:
    assert named_like(example, "issue_7") == name


def test_names_are_compared_by_their_words() -> None:
    assert parts("test_addHTTPHeader2") == {"add", "http", "header"}
    assert "add_item" in words("the add_item of Cart")
    assert words("the and for test") == frozenset()


def test_files_in_other_languages_are_ranked_as_a_whole() -> None:
    files = {
        "a.go": SourceFile("a.go", b"func Total() int { return sum }"),
        "b.go": SourceFile("b.go", b"func Mail() {}"),
    }
    assert [one.path for one in mentioned("Total is wrong", files, ("b.go", "a.go"))] == ["a.go", "b.go"]
