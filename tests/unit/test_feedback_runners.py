"""What real runs of seven runners told through our reporters, and what is left of it in a prompt."""

import json
from pathlib import Path

import pytest

from bot.repair.prompting import said
from bot.repair.prompting.feedback import CHARS_PER_TOKEN, condense
from sandbox.spec import Frame, Outcome, TestResult

REAL = json.loads((Path(__file__).parents[1] / "corpus" / "failures" / "real.json").read_text())


def results(runner: str) -> list[TestResult]:
    """As pytest 9, unittest of 3.11, jest 29, vitest 2, mocha 10 with chai 4, node 20 and go 1.19 failed."""
    return [
        TestResult(
            told["node_id"],
            Outcome(told["outcome"]),
            told["phase"],
            0.0,
            told["exception"],
            told["message"],
            tuple(Frame(*where, tuple(map(tuple, variables))) for *where, variables in told["frames"]),
        )
        for told in REAL[runner]
    ]


def result(runner: str, name: str) -> TestResult:
    (found,) = [one for one in results(runner) if one.node_id.endswith(name)]
    return found


VALUES = [
    ("pytest", "test_total", ["assert 2 == 3", "where 2 = total([1, 2])"]),
    ("pytest", "test_lists", ["At index 0 diff: -1 != 0"]),
    ("pytest", "test_dicts", ["{'b': [1, 2, 3]} != {'b': [1, 2, 4]}"]),
    ("pytest", "test_text", ["- line 3", "+ line three"]),
    ("pytest", "test_approx", ["Obtained: -0.9", "Expected: 0.1"]),
    (
        "pytest",
        "test_raises",
        ["IndexError: list index out of range", "at cart.py:10 in first", "self = Cart(rows=[])"],
    ),
    ("unittest", "test_total", ["2 != 3"]),
    ("unittest", "test_lists", ["First differing element 0:", "    -1", "    0"]),
    ("unittest", "test_text", ["- line three", "+ line 3"]),
    ("unittest", "test_message", ["False is not true : an empty cart costs nothing"]),
    ("jest", "adds up", ["Expected: 3", "Received: 2"]),
    ("jest", "equals", ['-       "price": 2', '+       "price": 3', '-   "total": 3', '+   "total": 4']),
    ("jest", "throws", ["TypeError: Cannot read", "at cart.js:8"]),
    ("jest", "calls", ["Expected: 3", "1: 1", "2: 2"]),
    ("vitest", "adds up", ["expected 2 to be 3"]),
    ("vitest", "equals", ['-       "price": 2', '+       "price": 3']),
    ("mocha", "adds up", ["expected 2 to equal 3", "at cart.spec.js:5"]),
    ("mocha", "equals", ["Expected: { rows: [ { name: 'one'", "Actual: { rows:", "price: 3"]),
    ("mocha", "throws", ["at cart.js:8 in exports.boom"]),
    ("mocha", "hangs", ["Timeout of 20ms exceeded"]),
    ("node-test", "adds up", ["2 !== 3"]),
    ("node-test", "equals", ["+       price: 3", "-       price: 2"]),
    ("node-test", "ok", ["an empty cart costs nothing", "Expected: true", "Actual: false"]),
    ("go", "TestTotal", ["Total(1, 2) = 2, want 3", "at cart_test.go:10"]),
    ("go", "TestTable/n", ["got 0", "want 1"]),
    ("go", "TestDeep", ["-map[a:[1]]", "+map[a:[0]]"]),
    ("go", "TestPanics", ["index out of range [0] with length 0", "at cart.go:12 in First"]),
]


@pytest.mark.parametrize(("runner", "name", "values"), VALUES, ids=[f"{runner}-{name}" for runner, name, _ in VALUES])
def test_what_was_expected_and_what_came_is_kept(runner: str, name: str, values: list[str]) -> None:
    text = condense([result(runner, name)], 150)
    assert [value for value in values if value not in text] == []


@pytest.mark.parametrize("runner", REAL)
def test_every_failure_of_a_run_is_named_with_its_exception_and_frames(runner: str) -> None:
    found = results(runner)
    text = condense(found, 2000)
    assert len(text) <= 2000 * CHARS_PER_TOKEN
    for one in found:
        assert f"FAILED {one.node_id}\n" in text or "alike: " in text
        assert all(f"at {frame.path}:{frame.line}" in text for frame in one.frames) or "alike: " in text


@pytest.mark.parametrize("runner", REAL)
def test_hints_on_how_to_use_a_runner_are_no_evidence(runner: str) -> None:
    text = condense(results(runner), 2000)
    assert "to get more diff" not in text
    assert "@@ " not in text
    assert "identical items" not in text


def test_of_two_long_values_the_stretch_where_they_differ_is_shown() -> None:
    left, right = "x" * 500 + "LEFT" + "y" * 500, "x" * 500 + "RIGHT" + "y" * 500
    for line in (f"assert '{left}' == '{right}'", f"'{left}' != '{right}'", f"expected '{left}' to equal '{right}'"):
        shown = said.shortened(line, 200)
        assert "LEFT" in shown
        assert "RIGHT" in shown
        assert len(shown) <= 200
    shown = "\n".join(said.all_shortened(["values", f"Expected: {left}", f"Received: {right}"], 200))
    assert "LEFT" in shown
    assert "RIGHT" in shown


def test_words_without_a_comparison_are_shortened_in_the_middle() -> None:
    assert said.shortened("a" * 100 + "b" * 100, 50) == "a" * 23 + "..." + "b" * 23


@pytest.mark.parametrize(("one", "other"), [("Expected: ", "Received: "), ("Expected: ", "Actual: "), ("- ", "+ ")])
@pytest.mark.parametrize("budget", [80, 150, 400])
def test_two_long_values_below_each_other_differ_in_what_is_left_of_them(one: str, other: str, budget: int) -> None:
    left, right = "x" * 5000 + "LEFT" + "y" * 5000, "x" * 5000 + "RIGHT" + "y" * 5000
    frames = (Frame("a.test.js", 3, "t"), Frame("src/cart.js", 41, "total"))
    message = f"differ\n{one}{left}\n{other}{right}"
    text = condense([TestResult("a.test.js::t", Outcome.FAILED, message=message, frames=frames)], budget)
    assert "LEFT" in text
    assert "RIGHT" in text
    assert "at src/cart.js:41" in text


def test_a_line_that_points_at_letters_does_not_part_two_values() -> None:
    lines = ["- " + "x" * 400 + "LEFT", "? " + " " * 400 + "^^^^", "+ " + "x" * 400 + "RIGHT"]
    shown = said.all_shortened(["values", *lines], 300)
    assert "LEFT" in shown[1]
    assert "RIGHT" in shown[3]
