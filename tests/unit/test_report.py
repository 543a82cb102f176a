from dataclasses import replace

import pytest

from bot.jobs import FixCheck, FixIssue
from bot.pipeline.reports import report, titles
from bot.pipeline.reports.cut import MAX_BODY
from bot.repair.types import (
    Attempt,
    Base,
    Baseline,
    Comparison,
    FileChange,
    Origin,
    Patch,
    Proposal,
    Reflection,
    RepairResult,
    StopReason,
    Usage,
    Verdict,
)
from sandbox.spec import Outcome, Recipe, TestResult

ISSUE = FixIssue("d1", 5, "o/r", "main", 7, "Totals are\nwrong @all", "body", "mona")
CHECK = FixCheck("d2", 5, "o/r", "main", "a" * 40, 9, "mona")
BASE = Base("o/r", "a" * 40, Recipe("python", (), ("pytest",), "given"))
BASELINE = Baseline(
    2, (TestResult("t.py::test_a", Outcome.FAILED),), ("t.py::test_b", "t.py::test_c"), ("t.py::test_f",), (), 1.0
)
SPENT = report.Spent("mutation search", (("baseline", 2.0), ("repair", 3.0)), 1234, 0.25, estimated=True, seconds=6.0)


def attempt(
    number: int, verdict: Verdict, *, origin: Origin = Origin.MUTATION, text: str = "compare with <="
) -> Attempt:
    return Attempt(
        number=number,
        verdict=verdict,
        proposal=Proposal(Patch((FileChange("m.py", b"x\n"),)), origin, text, "mutation"),
        comparison=Comparison(
            fixed=("t.py::test_a",), regressed=() if verdict is Verdict.SOLVED else ("t.py::test_b",)
        ),
        reason="",
        failure="AssertionError: assert 1 == 2",
        reflection=Reflection("It broke test_b.", "Keep the upper bound.", stated=True),
        usage=Usage(),
        seconds=1.5,
        passed=2,
        total=3,
    )


WRONG, RIGHT = attempt(1, Verdict.REGRESSED), attempt(2, Verdict.SOLVED)
SOLVED = RepairResult(StopReason.SOLVED, "", (WRONG, RIGHT), BASELINE, Usage(1000, 234), 5.0, solution=RIGHT)
DIFFS = {1: "-a\n+b\n", 2: "-a\n+c\n"}


def test_the_body_shows_fix_matrix_attempts_cost_and_what_is_unknown() -> None:
    body = report.pull_request_body(ISSUE, SOLVED, SPENT, DIFFS)
    for part in (
        "<!-- regreen:subject=issue-7 -->",
        "Fixes #7.",
        "| failing before | 1 failing | 1 fixed, 0 still failing |",
        "| passing before | 2 passing | 2 passing, 0 regressed |",
        "| flaky, set aside | 1 |",
        "Attempt 1: rejected: it broke a test that passed",
        "Passed before, fails now: `t.py::test_b`",
        "Facts, put together without a model",
        "1,234 tokens (estimated",
        "$0.2500",
        "baseline 2.0 s",
        "### What is not known",
    ):
        assert part in body, part


def test_a_mutation_is_named_as_such_and_a_models_patch_is_not() -> None:
    assert "mutation search" in report.pull_request_body(ISSUE, SOLVED, replace(SPENT, proposer="m"), DIFFS)
    by_model = attempt(2, Verdict.SOLVED, origin=Origin.MODEL)
    body = report.pull_request_body(ISSUE, replace(SOLVED, solution=by_model), replace(SPENT, proposer="m"), DIFFS)
    assert "mutation search" not in body


def test_a_check_is_not_said_to_close_an_issue() -> None:
    body = report.pull_request_body(CHECK, SOLVED, SPENT, DIFFS)
    assert "Fixes #" not in body
    assert "aaaaaaaaaaaa green" in body


@pytest.mark.parametrize("char", ["`", "$"])
@pytest.mark.parametrize("size", [10, 5_000, 100_000])
def test_every_text_fits_githubs_limit_whatever_happened(size: int, char: str) -> None:
    many = tuple(attempt(number, Verdict.REGRESSED, text=char * size) for number in range(1, 60))
    diffs = dict.fromkeys(range(1, 60), "+" + "`" * size)
    solved = replace(SOLVED, attempts=many, solution=many[-1])
    stopped = replace(solved, solution=None, best=many[0], stop=StopReason.ITERATIONS, detail="x" * size)
    assert len(report.pull_request_body(ISSUE, solved, SPENT, diffs)) <= MAX_BODY
    comment = report.unsolved_comment(stopped, SPENT, diffs)
    assert len(comment) <= MAX_BODY
    assert comment.count("<details>") == comment.count("</details>")


def test_an_unsolved_run_names_its_stop_and_keeps_the_best_candidate() -> None:
    stopped = replace(SOLVED, solution=None, best=WRONG, stop=StopReason.EXHAUSTED)
    comment = report.unsolved_comment(stopped, SPENT, DIFFS)
    assert "Stopped with `exhausted`: there are no further candidates" in comment
    assert "+b" in comment
    assert "nothing was published for it" in comment


@pytest.mark.parametrize("stop", list(StopReason))
def test_every_stop_has_words(stop: StopReason) -> None:
    assert report.stopped(stop)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_words(verdict: Verdict) -> None:
    assert report.judged(verdict)


def test_a_title_is_one_short_line() -> None:
    title = titles.pull_request_title(replace(ISSUE, title="x\n" * 300 + "[skip ci]"), RIGHT)
    assert "\n" not in title
    assert len(title) <= 120
    assert "t.py::test_a" in titles.pull_request_title(CHECK, RIGHT)


def test_neither_an_issues_title_nor_a_tests_name_acts_through_ours() -> None:
    evil = "t.py::test_a[skip ci]\n\nCo-authored-by: x <x@y.z> closes #1 @org/admins"
    fixed = replace(RIGHT, comparison=Comparison(fixed=(evil,)))
    for said in (titles.pull_request_title(CHECK, fixed), titles.pull_request_title(replace(ISSUE, title=evil), RIGHT)):
        assert "\n" not in said
        assert not any(part in said for part in ("[skip ci]", "#1", "@org"))
