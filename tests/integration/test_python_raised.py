"""What our reporters for Python tell of an exception, of what it came from, and of what it holds."""

import sys
from pathlib import Path

import pytest
from guest_runs import run_plan

from sandbox.spec import Frame, Recipe, TestResult

APP = """import asyncio

def load(settings):
    try:
        return settings["port"]
    except KeyError as error:
        raise ValueError("no port") from error

def parsed(text):
    try:
        return int(text)
    except ValueError:
        return text.missing

async def page(number):
    raise LookupError(f"no page {number}")

async def pages():
    async with asyncio.TaskGroup() as group:
        group.create_task(page(7))

def walk(tree):
    return 1 + walk(tree)
"""
TESTS = """import asyncio, unittest, app

class Raised(unittest.TestCase):
    def test_cause(self): app.load({})
    def test_context(self): app.parsed("x7")
    def test_group(self): asyncio.run(app.pages())
    def test_recursion(self): app.walk(1)
    def test_values(self): raise ValueError("Expected: " + "x" * 9000 + "LEFT" + "y" * 9000 + "\\\\n"
        "Received: " + "x" * 9000 + "RIGHT" + "y" * 9000)
    def test_note(self):
        error = ValueError("unread")
        error.add_note("in row 17")
        raise error

    def test_hostile(self): raise Hostile

class Hostile(Exception):
    __notes__ = 5
    def __str__(self): raise RuntimeError

class Awaited(unittest.IsolatedAsyncioTestCase):
    async def test_awaited(self): self.assertIn("a", "b")
""".replace("\\\\n", "\\n")
RECIPES = {
    "python": Recipe("python", (), (sys.executable, "-m", "pytest", "-p", "no:cacheprovider"), "test"),
    "unittest": Recipe("unittest", (), (sys.executable, "-m", "unittest"), "test"),
}


@pytest.fixture(scope="module", params=RECIPES)
def raised(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, TestResult]:
    files = {"app.py": APP, "test_app.py": TESTS}
    run = run_plan(tmp_path_factory.mktemp("raised"), RECIPES[request.param], files)
    assert len(run.red) == len(run.results) == 8, run.output
    return {result.node_id.rpartition("::")[2]: result for result in run.red}


def test_what_an_exception_came_from_is_told(raised: dict[str, TestResult]) -> None:
    assert raised["test_cause"].message == "no port\ncaused by KeyError: 'port'"
    words = raised["test_context"].message
    assert words.endswith("\nwhile handling ValueError: invalid literal for int() with base 10: 'x7'")


def test_what_a_group_holds_is_told_and_where_it_was_raised(raised: dict[str, TestResult]) -> None:
    result = raised["test_group"]
    assert result.message.endswith("\nsub-exception LookupError: no page 7")
    assert result.frames[-1].path == "app.py"
    assert result.frames[-1].function == "page"


def test_notes_are_told(raised: dict[str, TestResult]) -> None:
    assert raised["test_note"].message == "unread\nin row 17"


def test_an_exception_that_raises_where_it_is_read_is_told_all_the_same(raised: dict[str, TestResult]) -> None:
    assert raised["test_hostile"].exception == "Hostile"
    assert raised["test_hostile"].message == "(no message: its __str__ raised RuntimeError)"


def test_a_recursion_leaves_the_test_among_its_frames(raised: dict[str, TestResult]) -> None:
    places = [(frame.path, frame.function) for frame in raised["test_recursion"].frames]
    assert places == [("test_app.py", "test_recursion"), ("app.py", "walk")]


def test_two_values_longer_than_a_message_are_told_where_they_differ(raised: dict[str, TestResult]) -> None:
    message = raised["test_values"].message
    assert "LEFT" in message
    assert "RIGHT" in message
    assert len(message) < 2000


def test_an_awaited_test_has_its_frame(raised: dict[str, TestResult]) -> None:
    found = raised["test_awaited"].frames
    assert [Frame(frame.path, frame.line, frame.function) for frame in found] == [
        Frame("test_app.py", 22, "test_awaited")
    ]


def test_pytest_says_which_fixture_is_missing_and_all_of_a_comparison(tmp_path: Path) -> None:
    tests = (
        "def test_missing(nosuch): pass\n"
        "def test_long():\n    assert 'x' * 900 + 'LEFT' + 'y' * 900 == 'x' * 900 + 'RIGHT' + 'y' * 900\n"
    )
    run = run_plan(tmp_path, RECIPES["python"], {"test_a.py": tests})
    missing, long = run.red
    assert missing.message.startswith("fixture 'nosuch' not found")
    assert [(frame.path, frame.line) for frame in missing.frames] == [("test_a.py", 1)]
    assert "LEFT" in long.message
    assert "RIGHT" in long.message


DOCTESTS = """def f(x):
    \'\'\'
    >>> f(1)
    3
    \'\'\'
    return x + 1

def g(x):
    \'\'\'
    >>> g(1)
    3
    \'\'\'
    return x + missing
"""


@pytest.mark.parametrize("option", ["", "--doctest-continue-on-failure"])
def test_a_doctest_tells_both_values_or_what_it_raised_and_where(tmp_path: Path, option: str) -> None:
    command = (*RECIPES["python"].test_command, "--doctest-modules", *option.split())
    run = run_plan(tmp_path, Recipe("python", (), command, "test"), {"a.py": DOCTESTS})
    differs, raises = run.red
    assert differs.message == "f(1)\nExpected: 3\nGot: 2\n"
    assert [(frame.path, frame.line) for frame in differs.frames] == [("a.py", 3)]
    assert (raises.exception, raises.message) == ("NameError", "name 'missing' is not defined")
    assert [(frame.path, frame.line) for frame in raises.frames] == [("a.py", 13)]
