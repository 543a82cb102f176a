from hypothesis import given
from hypothesis import strategies as st

from bot.repair.prompting.blocks import size
from bot.repair.prompting.memory import MAX_REFLECTIONS, lessons, recall, summary
from bot.repair.types import (
    Attempt,
    Comparison,
    FileChange,
    Origin,
    Patch,
    Proposal,
    Reflection,
    SourceFile,
    Usage,
    Verdict,
)
from sandbox.spec import Outcome, TestResult

FILES = {"cart.py": SourceFile("cart.py", b"def total(prices):\n    return 1\n")}
RED = TestResult("t.py::t", Outcome.FAILED, exception="AssertionError", message="assert 2 == 3")


def attempt(number: int, verdict: Verdict = Verdict.NOT_FIXED, *, said: str = "", **change: tuple[str, ...]) -> Attempt:
    proposal = Proposal(
        Patch((FileChange("cart.py", b"def total(prices):\n    return %d\n" % number),)), Origin.MODEL, "", ""
    )
    reflection = Reflection(said or f"cause {number}", "try", stated=False)
    return Attempt(
        number, verdict, proposal, Comparison(**change), f"reason {number}", f"t.py::t: Error{number}", reflection,
        Usage(), 0.0, red=(RED,),
    )  # fmt: skip


def test_nothing_was_tried_at_first() -> None:
    assert recall((), FILES, 5000) == ""


def test_up_to_three_failures_are_told_one_by_one_with_the_last_ones_change() -> None:
    text = recall([attempt(number) for number in (1, 2, 3)], FILES, 5000)
    assert "Attempt 1: not_fixed - reason 1\nAttempt 2: not_fixed - reason 2" in text
    assert "-    return 1\n+    return 3" in text
    assert "AssertionError: assert 2 == 3" in text
    assert "earlier attempts failed" not in text


def test_more_are_summed_up_by_how_they_ended_what_they_broke_and_what_was_red() -> None:
    past = [
        attempt(1, Verdict.NOT_APPLIED),
        attempt(2),
        attempt(3, Verdict.PARTIAL, fixed=("t.py::a",)),
        attempt(4, Verdict.REGRESSED, regressed=("t.py::b",)),
        attempt(5),
    ]
    assert summary(past) == [
        "5 earlier attempts failed:",
        "- changed nothing for the failing tests: 2, 5",
        "- fixed some of them: 3",
        "- broke tests that had passed: 4",
        "- could not be applied: 1",
        "- closest was 3: reason 3",
        "- broken by some of them: t.py::b",
        "- seen: t.py::t: Error5",
        "- seen: t.py::t: Error4",
        "- seen: t.py::t: Error3",
    ]


def test_at_most_three_lessons_are_kept_the_newest_and_none_twice() -> None:
    past = [attempt(number, said=said) for number, said in enumerate(("a", "b", "a", "c", "d", "c"), 1)]
    assert lessons(past) == ["a try", "d try", "c try"]


@given(st.integers(0, 60), st.integers(0, 4000), st.text(max_size=300))
def test_a_memory_is_bounded_however_much_was_tried(number: int, limit: int, said: str) -> None:
    past = [attempt(at, said=said + str(at), regressed=(f"t.py::{said}",)) for at in range(1, number + 1)]
    assert size(recall(past, FILES, limit)) <= limit
    assert len(lessons(past)) <= MAX_REFLECTIONS


@given(st.integers(4, 200))
def test_a_longer_history_makes_no_longer_memory(number: int) -> None:
    assert size(recall([attempt(at) for at in range(1, number + 1)], FILES, 20_000)) < 3000
