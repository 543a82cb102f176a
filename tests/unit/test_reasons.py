import time

import pytest

from bot.repair.reproduction import reasons
from bot.repair.reproduction.reasons import Prediction
from sandbox.spec import Frame, Outcome, TestResult

TEST, SOURCE = "tests/test_issue_7.py", "grades.py"
ISSUE = "Fifty points should pass, but the grade is fail."


def red(exception: str, message: str = "", *paths: str, phase: str = "call") -> TestResult:
    frames = tuple(Frame(path, 3, "f") for path in (TEST, *paths))
    return TestResult(f"{TEST}::test_fifty", Outcome.FAILED, phase, 0.1, exception, message, frames)


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("CAUSE: x\nFAILS WITH: AssertionError: assert 3 == 4\n", Prediction("AssertionError", "assert 3 == 4")),
        ("**FAILS WITH:** `ZeroDivisionError`", Prediction("ZeroDivisionError", "")),
        ("- fails with: pkg.errors.BadDate: no date", Prediction("BadDate", "no date")),
        ("FAILS WITH: assert 3 == 4", Prediction("AssertionError", "assert 3 == 4")),
        ("FAILS WITH: got 3, want 4", Prediction("", "got 3, want 4")),
        (
            "FAILS WITH: panic: runtime error: index out of range",
            Prediction("panic", "runtime error: index out of range"),
        ),
        ("It fails with an error", None),
        ("FAILS WITH:", None),
    ],
)
def test_a_prediction_is_read_as_it_was_stated(reply: str, wanted: Prediction | None) -> None:
    assert reasons.stated(reply) == wanted


@pytest.mark.parametrize(
    ("prediction", "result"),
    [
        (
            "AssertionError: assert 'fail' == 'pass'",
            red("AssertionError", "assert 'fail' == 'pass'\n  - pass\n  + fail"),
        ),
        (
            "AssertionError: assert grade(50) == 'pass'",
            red("AssertionError", "assert 'fail' == 'pass'\n + where 'fail' = grade(50)"),
        ),
        ("AssertionError: DID NOT RAISE ValueError", red("Failed", "DID NOT RAISE <class 'ValueError'>")),
        ("ZeroDivisionError: division by zero", red("ZeroDivisionError", "float division by zero", SOURCE)),
        ("got 3, want 4", red("", "grades_test.go:9: got 3, want 4")),
        (
            "AssertionError: assert 'a long text of more than forty characters, cut' == ''",
            red("AssertionError", "assert 'a long text of more than forty characte...cut' == ''"),
        ),
    ],
)
def test_a_failure_that_was_predicted_counts(prediction: str, result: TestResult) -> None:
    wanted = reasons.predicted(prediction)
    assert wanted
    assert reasons.unspecific(wanted) is None
    assert reasons.fault(result, TEST, wanted, ISSUE) is None


@pytest.mark.parametrize(
    ("prediction", "result", "why"),
    [
        ("AssertionError: assert 3 == 4", red("AssertionError", "assert 5 == 4"), "does not show '3'"),
        ("AssertionError: assert 3 == 4", red("AssertionError", "assert 13 == 4"), "does not show '3'"),
        ("AssertionError: assert 3 == 4", red("ZeroDivisionError", "division by zero", SOURCE), "another exception"),
        ("Failed: DID NOT RAISE KeyError", red("Failed", "DID NOT RAISE <class 'ValueError'>"), "'KeyError'"),
        ("AssertionError: assert 3 == 4", red("NameError", "name 'grad' is not defined"), "in the test itself"),
        ("NameError: name 'grad' is not defined", red("NameError", "name 'grad' is not defined"), "in the test itself"),
        ("ImportError: cannot import name 'x'", red("ImportError", "cannot import name 'x'"), "not there"),
        ("AttributeError: no 'x'", red("AttributeError", "module has no attribute 'x'"), "not there"),
        ("AssertionError: assert 3 == 4", red("Failed", "fixture 'db' not found", phase="setup"), "fails in setup"),
        ("got 3, want 4", red("", "got 5, want 4"), "does not show '3'"),
    ],
)
def test_a_failure_for_another_reason_does_not_count(prediction: str, result: TestResult, why: str) -> None:
    wanted = reasons.predicted(prediction)
    assert wanted
    assert why in (reasons.fault(result, TEST, wanted, ISSUE) or "")


def test_an_error_in_the_code_under_test_is_the_codes_own() -> None:
    wanted = Prediction("NameError", "name 'scor' is not defined")
    assert reasons.fault(red("NameError", "name 'scor' is not defined", SOURCE), TEST, wanted, ISSUE) is None


def test_an_exception_that_the_issue_reports_may_show_in_the_test() -> None:
    wanted = Prediction("TypeError", "missing 1 required positional argument")
    result = red("TypeError", "grade() missing 1 required positional argument: 'scale'")
    assert reasons.fault(result, TEST, wanted, "grade(50) ends in a TypeError") is None
    assert reasons.fault(result, TEST, wanted, ISSUE)


def test_an_empty_text_does_not_shift_the_quotes() -> None:
    assert reasons.values("assert '' == 'x'") == {"x"}


@pytest.mark.parametrize("text", ["AssertionError", "AssertionError: assert is_open(door)", "it is wrong"])
def test_an_expectation_without_a_value_says_too_little(text: str) -> None:
    wanted = reasons.predicted(text)
    assert wanted
    assert "state the values" in (reasons.unspecific(wanted) or "")
    assert reasons.unspecific(Prediction("ZeroDivisionError", "")) is None


@pytest.mark.parametrize(
    "text", ["FAILS WITH: " + "a." * 200_000, "FAILS WITH" + "_" * 300_000, "'" * 300_000, "1" * 300_000]
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    started = time.process_time()
    reasons.stated(text)
    reasons.values(text)
    assert time.process_time() - started < 5
