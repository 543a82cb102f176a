import json

import pytest

from sandbox.results import junit, records
from sandbox.spec import Outcome, RunResult, RunState, TestRun, Verdict


def parsed(xml: str, code: int = 0) -> TestRun:
    results = {"n-0.xml": xml.encode(), "n.json": json.dumps({"files": ["a"], "exit": code}).encode()}
    return junit.parse(RunResult(Verdict.EXITED, code, b"", output_truncated=False, results=results), "n")


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        ('<testcase name="a" status="run" result="completed"/>', Outcome.PASSED),
        ('<testcase name="a" status="notrun" result="suppressed"/>', Outcome.SKIPPED),
        ('<testcase name="a" status="disabled"/>', Outcome.SKIPPED),
        ('<testcase name="a"><disabled message=""/></testcase>', Outcome.SKIPPED),
        ('<testcase name="a" status="failed"/>', Outcome.FAILED),
        ('<testcase name="a" status="run" result="failed"/>', Outcome.FAILED),
        ('<testcase name="a" status="failed"><skipped/></testcase>', Outcome.FAILED),
        ('<testcase name="a" status="disabled"><failure/></testcase>', Outcome.FAILED),
    ],
)
def test_a_status_counts_where_no_element_says_more(case: str, outcome: Outcome) -> None:
    run = parsed(f"<testsuite>{case}</testsuite>", int(outcome.red))
    assert (run.state, list(run.outcomes.values())) == (RunState.COMPLETE, [outcome])


def test_an_error_of_a_suite_is_a_red_test() -> None:
    xml = '<testsuite name="s"><error message="boom"/><testcase name="a"/></testsuite>'
    assert parsed(xml).state is RunState.INCONSISTENT
    assert parsed(xml, 1).outcomes == {"s": Outcome.ERROR, "a": Outcome.PASSED}


@pytest.mark.parametrize("told", ['tests="2"', 'failures="1"', 'errors="1"'])
@pytest.mark.parametrize("root", ["testsuite", "testsuites"])
def test_a_suite_that_speaks_of_more_than_it_has_is_inconsistent(told: str, root: str) -> None:
    assert parsed(f'<{root} {told}><testsuite tests="1"><testcase name="a"/></testsuite></{root}>').state is (
        RunState.INCONSISTENT
    )


def test_long_names_and_types_are_cut_and_stay_apart() -> None:
    long = "x" * 20_000
    cases = (
        f'<testcase name="{long}a" file="{long}" line="3"><failure type="{long}"/></testcase><testcase name="{long}b"/>'
    )
    run = parsed(f"<testsuite>{cases}<testcase file='{long}' name='{long}c'/></testsuite>", 1)
    assert (run.state, len(run.outcomes)) == (RunState.COMPLETE, 3)
    assert max(map(len, run.outcomes)) < records.MAX_TEXT
