"""What small models answer: a made-up path, the format's own example, a function where a file was asked for."""

import pytest
from fakes_workspace import BASE

from bot.errors import EditError
from bot.repair.editing.edits import Applied, Rung, apply
from bot.repair.localisation.localise import localise
from bot.repair.prompting.prompts import Briefing, build
from bot.repair.types import SourceFile, Task
from sandbox.spec import Frame, Outcome, TestResult

CART = b"RATE = 1\n\n\ndef total(prices):\n    return sum(prices) - 1\n\n\ndef mean(prices):\n    return 0\n"
FIXED = CART.replace(b"- 1", b"+ 0")
FILES = {"shop/cart.py": CART, "shop/other.py": b"def mean(values):\n    return 1\n"}
TOTAL = "```python\ndef total(prices):\n    return sum(prices) + 0\n```"
EDIT = "<<<<<<< SEARCH\n    return sum(prices) - 1\n=======\n    return sum(prices) + 0\n>>>>>>> REPLACE\n"
MADE_UP = ["path/of/the/file.py", "/path/of/the/file.py", "cart.py", "File: src/cart.py", "Fix:", "file/cart.py"]


def only(applied: Applied) -> bytes | None:
    (change,) = applied.patch.changes
    assert change.path == "shop/cart.py"
    return change.content


@pytest.mark.parametrize("heading", MADE_UP)
def test_a_function_under_a_made_up_path_goes_to_the_one_file_that_defines_it(heading: str) -> None:
    applied = apply(f"{heading}\n{TOTAL}", "stop", FILES, known=FILES)
    assert (only(applied), applied.rung) == (FIXED, Rung.FUNCTION)


@pytest.mark.parametrize("heading", MADE_UP)
def test_an_edit_under_a_made_up_path_goes_to_the_one_file_that_was_shown(heading: str) -> None:
    files = {"shop/cart.py": CART}
    applied = apply(f"{heading}\n{EDIT}", "stop", files, default_path="shop/cart.py", known=FILES)
    assert only(applied) == FIXED


def test_a_whole_file_under_a_made_up_path_goes_to_the_one_file_that_was_shown() -> None:
    reply = f"path/of/the/file.py\n```python\n{FIXED.decode()}```"
    applied = apply(reply, "stop", FILES, default_path="shop/cart.py", known=FILES)
    assert (only(applied), applied.rung) == (FIXED, Rung.FILE)


def test_where_several_files_may_be_meant_a_made_up_path_is_refused() -> None:
    mean = "```python\ndef mean(prices):\n    return 2\n```"
    with pytest.raises(EditError, match="defined in"):
        apply(f"path/of/the/file.py\n{mean}", "stop", FILES, known=FILES)
    with pytest.raises(EditError, match="no regular file"):
        apply(f"path/of/the/file.py\n{EDIT}", "stop", FILES, known=FILES)


def test_a_path_that_is_there_is_taken_at_its_word() -> None:
    mean = "```python\ndef mean(values):\n    return 2\n```"
    applied = apply(f"shop/other.py\n{mean}", "stop", FILES, known=FILES)
    assert applied.patch.paths == ("shop/other.py",)
    known = {*FILES, "shop/hidden.py"}
    with pytest.raises(EditError, match="not readable"):
        apply(f"shop/hidden.py\n{TOTAL}", "stop", FILES, default_path="shop/cart.py", known=known)


@pytest.mark.parametrize(
    "block",
    [
        "import math\n\n\ndef total(prices):\n    return sum(prices) + 0\n",
        "RATE = 1\n\n\ndef total(prices):\n    return sum(prices) + 0\n\n\nprint(total([1]))\n",
        "def total(prices):\n    return sum(prices) + 0\n\n\ndef example():\n    def inner():\n        return 1\n",
        "def total(prices):\n    return sum(prices) + 0\n\n\n# ... the rest stays as it is ...\nRATE = 1\n",
    ],
)
def test_a_file_that_leaves_out_the_rest_is_taken_as_its_one_known_function(block: str) -> None:
    applied = apply(f"shop/cart.py\n```python\n{block}```", "stop", FILES, known=FILES)
    assert (only(applied), applied.rung) == (FIXED, Rung.FUNCTION)


def test_a_file_that_leaves_out_the_rest_and_holds_no_known_function_is_refused() -> None:
    with pytest.raises(EditError, match="leaves out RATE, total, mean"):
        apply("shop/cart.py\n```python\nX = 1\n\n\ndef other():\n    return 1\n```", "stop", FILES, known=FILES)
    block = "X = 1\n\n\ndef total(prices):\n    # ... existing code ...\n    return 1\n"
    with pytest.raises(EditError, match="leaves code out"):
        apply(f"shop/cart.py\n```python\n{block}```", "stop", FILES, known=FILES)


@pytest.mark.parametrize("rung", [Rung.SEARCH_REPLACE, Rung.FUNCTION, Rung.FILE])
def test_the_formats_example_is_the_first_suspects_file_and_can_be_copied(rung: Rung) -> None:
    system = build(briefing("shop/cart.py", rung), 20_000)[0].content
    assert "shop/cart.py" in system
    assert "path/of" not in system
    assert ("`shop/cart.py :: total`" in system) == (rung is Rung.FUNCTION)


@pytest.mark.parametrize("path", ["a b.py", "x\nObey.py", "y" * 300 + ".py", "\u202ee.py"])
def test_a_files_name_that_could_be_read_as_words_is_no_example(path: str) -> None:
    system = build(briefing(path, Rung.FILE), 20_000)[0].content
    assert path not in system
    assert "path/of/the/file.py" in system


def briefing(path: str, rung: Rung) -> Briefing:
    files = {path: SourceFile(path, CART)}
    failing = (TestResult("test_a.py::t", Outcome.FAILED, frames=(Frame(path, 5, "total"),)),)
    return Briefing(Task(BASE, "", "", ("test_a.py::t",)), failing, localise(failing, (), files), files, (), rung)
