from hypothesis import given
from hypothesis import strategies as st

from bot.repair.feedback import CHARS_PER_TOKEN, condense, condense_run
from sandbox.spec import Frame, Outcome, RunState, TestResult, TestRun

FRAMES = (Frame("tests/test_a.py", 3, "test_a"), Frame("cart.py", 41, "total"))


def failed(node_id: str, message: str = "assert 5 == 6", frames: tuple[Frame, ...] = FRAMES) -> TestResult:
    return TestResult(node_id, Outcome.FAILED, exception="AssertionError", message=message, frames=frames)


def test_id_exception_values_and_frames_are_shown() -> None:
    text = condense((failed("tests/test_a.py::test_a"),), 500)
    assert text == (
        "FAILED tests/test_a.py::test_a\n  AssertionError: assert 5 == 6\n"
        "  at tests/test_a.py:3 in test_a\n  at cart.py:41 in total"
    )


def test_failures_that_differ_in_numbers_only_are_folded() -> None:
    text = condense([failed(f"t.py::test_x[{number}]", f"assert {number} == 0") for number in range(1, 9)], 500)
    assert text.count("FAILED") == 1
    assert "alike: t.py::test_x[2], t.py::test_x[3], t.py::test_x[4] and 4 more" in text


def test_assertion_values_outlive_the_prose_around_them() -> None:
    prose = "\n".join(f"some words that explain at length what was going on, number {line}" for line in range(60))
    text = condense(
        (failed("t.py::test_x", f"totals differ\n{prose}\nassert 5 == 6\n +  where 5 = total([2, 3])"),), 120
    )
    assert "totals differ" in text
    assert "assert 5 == 6\n     +  where 5 = total([2, 3])" in text
    assert "at cart.py:41 in total" in text


def test_what_has_no_room_is_counted() -> None:
    text = condense([failed(f"t.py::test_{letter}", letter * 900) for letter in "abcdefghij"], 150)
    assert "FAILED t.py::test_a" in text
    assert text.endswith("more failing tests")


def test_terminal_escapes_do_not_reach_a_prompt() -> None:
    assert "\x1b" not in condense((failed("t.py::test_x", "\x1b[31mred\x1b[0m\x07"),), 100)


def test_a_run_that_cannot_be_believed_says_why_first() -> None:
    run = TestRun(RunState.TIMEOUT, (failed("t.py::test_x"),), output="last words")
    text = condense_run(run, 200)
    assert text.startswith("the run hung and was ended:\nlast words")
    assert "FAILED t.py::test_x" in text


LETTERS = st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=["C", "Z"])
RESULTS = st.lists(
    st.builds(
        TestResult,
        node_id=st.text(LETTERS, min_size=1, max_size=120),
        outcome=st.just(Outcome.FAILED),
        exception=st.text(LETTERS, min_size=1, max_size=40),
        message=st.text(max_size=2000),
        frames=st.lists(st.builds(Frame, st.text(LETTERS, max_size=60), st.integers(1, 999), st.text(LETTERS))).map(
            tuple
        ),
    ),
    min_size=1,
    max_size=30,
)


@given(RESULTS, st.integers(60, 2000))
def test_the_budget_holds_and_the_first_failure_is_always_in(results: list[TestResult], budget: int) -> None:
    text = condense(results, budget)
    assert len(text) <= budget * CHARS_PER_TOKEN
    assert f"FAILED {results[0].node_id}\n  {results[0].exception}" in text


@given(RESULTS, st.integers(0, 59))
def test_even_a_tiny_budget_holds(results: list[TestResult], budget: int) -> None:
    assert len(condense(results, budget)) <= budget * CHARS_PER_TOKEN
