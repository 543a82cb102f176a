"""Tests that may themselves be wrong: against their specification, and against every candidate."""

from dataclasses import replace

import pytest

from bot.repair.integrity.doubts import contradicted, doubts, never_pleased
from bot.repair.types import Attempt, Baseline, Comparison, SourceFile, Usage, Verdict
from sandbox.spec import Outcome, TestResult

CODE = b'def area(w, h):\n    """Width by height.\n\n    >>> area(2, 3)\n    6\n    """\n    return w + h\n'
WRONG = b"from shapes import area\n\ndef test_area():\n    assert area(2, 3) == 7\n"
RIGHT = WRONG.replace(b"7", b"6")
RED = TestResult("tests/test_shapes.py::test_area", Outcome.FAILED, message="assert 5 == 7")
OTHER = TestResult("tests/test_shapes.py::test_other", Outcome.FAILED, message="assert 1 == 2")
BASELINE = Baseline(3, (RED, OTHER), (), (), (), 1.0)
SOURCES = (SourceFile("shapes.py", CODE),)


def file_of(data: bytes) -> tuple[SourceFile, ...]:
    return (SourceFile("tests/test_shapes.py", data),)


def attempt(
    number: int, red: tuple[TestResult, ...], fixed: tuple[str, ...] = (), broken: tuple[str, ...] = ()
) -> Attempt:
    verdict = Verdict.REGRESSED if broken else Verdict.PARTIAL if fixed else Verdict.NOT_FIXED
    comparison = Comparison(fixed, tuple(one.node_id for one in red), broken)
    return Attempt(number, verdict, None, comparison, "", "", None, Usage(), 0.0, red=red, tree=f"tree{number}")


def test_a_test_that_contradicts_its_docstring_is_named_with_both_values() -> None:
    (sentence,) = contradicted(file_of(WRONG), SOURCES, "", BASELINE)
    assert sentence == "test_area may itself be wrong: it expects 7, and the docstring of area says 6"
    assert not list(contradicted(file_of(RIGHT), SOURCES, "", BASELINE))


@pytest.mark.parametrize(
    "said", ["`area(2, 3)` should return 6.", "I get 5, but area(2, 3) == 6", "area(2, 3) -> 6, please"]
)
def test_a_test_that_contradicts_the_issue_is_named(said: str) -> None:
    plain = (SourceFile("shapes.py", b"def area(w, h):\n    return w + h\n"),)
    (sentence,) = contradicted(file_of(WRONG), plain, said, BASELINE)
    assert "the issue says 6" in sentence
    assert not list(contradicted(file_of(RIGHT), plain, said, BASELINE))


def test_a_passing_test_is_never_doubted() -> None:
    assert not list(contradicted(file_of(WRONG), SOURCES, "", replace(BASELINE, failing=(OTHER,))))


def test_a_target_that_no_candidate_pleases_which_pleases_all_others_is_doubted() -> None:
    near = tuple(attempt(number, (RED,), (OTHER.node_id,)) for number in range(3))
    (sentence,) = never_pleased(BASELINE, near)
    assert sentence.startswith(f"{RED.node_id} may itself be wrong: it stayed red under 3 different candidates")
    assert not list(never_pleased(BASELINE, near[:2]))
    assert not list(never_pleased(BASELINE, (*near[:2], replace(near[1], number=9))))
    assert not list(never_pleased(BASELINE, (*near, attempt(5, (), (RED.node_id,)))))


def test_candidates_that_break_something_please_nobody() -> None:
    near = tuple(attempt(number, (RED,), (OTHER.node_id,), ("t::x",)) for number in range(4))
    assert not list(never_pleased(BASELINE, near))


def test_a_single_target_is_doubted_when_many_candidates_agree_on_another_result() -> None:
    alone = replace(BASELINE, failing=(RED,))
    agreed = replace(RED, message="assert 6 == 7")
    assert list(never_pleased(alone, tuple(attempt(number, (agreed,)) for number in range(5))))
    assert not list(never_pleased(alone, tuple(attempt(number, (RED,)) for number in range(5))))
    differing = tuple(attempt(n, (replace(RED, message=f"assert {n} == 7"),)) for n in range(6))
    assert not list(never_pleased(alone, differing))


def test_one_sentence_is_said_of_a_test() -> None:
    assert len(doubts(file_of(WRONG), SOURCES, "area(2, 3) should be 6", BASELINE, ())) == 1
