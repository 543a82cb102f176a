"""Tests by attempts: nothing is said of a test that did not run."""

import csv
import io

import pytest

from bot.pipeline.reading.matrix import matrix, table
from bot.pipeline.reading.views import AttemptView, MatrixView, TrialView
from bot.repair.types import Comparison
from bot.web.pages.drawing import letters, unchanged
from bot.web.pages.rendering import Rendering

TARGET = "t::target"
SUITE = {"failing": (TARGET,), "passing": tuple(f"t::p{at}" for at in range(5)), "skipped": ("t::later",)}
STILL = Comparison(still_failing=(TARGET,))


def attempt(number: int, *scopes: str, state: str = "complete") -> AttemptView:
    """One whose last run ended so; those before it were complete."""
    states = [*["complete"] * (len(scopes) - 1), state]
    trials = tuple(TrialView(scope, said, 1, 1, 1.0) for scope, said in zip(scopes, states, strict=True))
    return AttemptView(number, 1.0, trials=trials, verdict="not_fixed", comparison=STILL)


def told(grid: MatrixView) -> list[str]:
    return [f"{number} {said}" for number, said in unchanged(grid)]


def test_what_ran_the_targets_only_claims_nothing_of_the_other_tests() -> None:
    grid = matrix(SUITE, [attempt(1, "targets"), attempt(2, "targets")], (TARGET,))
    assert [(row.tests, row.cells) for row in grid.rows] == [((TARGET,), "fff")]
    assert dict(grid.folded) == {"p..": 5, "s..": 1}
    assert grid.tests == 7
    assert told(grid) == [
        "5 pass on the base and have no result with attempts 1, 2",
        "1 is skipped on the base and has no result with attempts 1, 2",
    ]
    assert letters(grid) == ("p", "f", "s", "."), "what has no result is in the legend"


def test_a_run_that_cannot_be_believed_claims_nothing() -> None:
    broken = AttemptView(1, 1.0, trials=(TrialView("suite", "timed_out", 0, 0, 1.0),), verdict="invalid_run")
    grid = matrix({"failing": (), "passing": ("t::a",)}, [broken], ())
    assert told(grid) == ["1 passes on the base and has no result with attempt 1"]
    late = attempt(1, "targets", "suite", state="crashed")
    assert dict(matrix(SUITE, [late], (TARGET,)).folded) == {"p.": 5, "s.": 1}, "its targets are all that is known"
    assert dict(matrix(SUITE, [attempt(1, "suite", "confirmation", state="crashed")], (TARGET,)).folded)["pp"] == 5


def test_attempts_that_ran_the_suite_are_told_from_those_that_did_not() -> None:
    scopes = {1: "targets", 2: "suite", 3: "targets", 4: "targets", 5: "targets", 6: "suite", 8: "suite"}
    grid = matrix(SUITE, [attempt(number, scope) for number, scope in scopes.items()], (TARGET,))
    assert told(grid)[0] == (
        "5 pass on the base and with attempts 2, 6, 8, and have no result with attempts 1, 3\N{EN DASH}5"
    )


@pytest.mark.parametrize(
    ("attempts", "said"),
    [
        ([], "5 pass on the base"),
        ([attempt(1, "targets", "suite")], "5 pass on the base and with attempt 1"),
        ([attempt(at, "suite") for at in (1, 2, 3)], "5 pass on the base and with attempts 1\N{EN DASH}3"),
    ],
)
def test_what_ran_is_claimed_and_no_more(attempts: list[AttemptView], said: str) -> None:
    assert told(matrix(SUITE, attempts, (TARGET,)))[0] == said


def test_the_page_and_the_table_say_the_same() -> None:
    ran = [attempt(1, "targets"), attempt(2, "suite")]
    grid = matrix(SUITE, ran, (TARGET,))
    text = Rendering().text("run/matrix.html", run=_Run(grid), row=None)
    assert "5 other tests pass on the base and with attempt 2, and have no result with attempt 1." in text
    assert "no result</span>" in text
    rows = {name: made for name, *made in csv.reader(io.StringIO(table(SUITE, ran, (TARGET,))))}
    assert rows["t::p1"] == ["passes", "no result", "passes"]
    assert rows[TARGET] == ["fails", "fails", "fails"]


class _Run:
    def __init__(self, grid: MatrixView) -> None:
        self.matrix = grid
