"""What an observer's file may claim: it is written by code that nobody trusts."""

import json

import pytest

from sandbox.results import observing
from sandbox.results.pytest import public
from sandbox.spec import Recipe, RunResult, Verdict

NONCE = "ab12"
QUESTIONS = [("a.py", 1, "x", 2), ("a.py", 2, "y", 2)]
RECIPE = Recipe("python", (), ("python", "-m", "pytest"), "test")


def result(*lines: object, verdict: Verdict = Verdict.EXITED) -> RunResult:
    data = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    return RunResult(verdict, 0, b"", output_truncated=False, results={f"{public(NONCE)}.observed.jsonl": data})


def test_a_tests_functions_are_sorted_and_each_named_once() -> None:
    told = {"id": "t.py::t", "called": {"b.py": [7, 3, 3], "a.py": [1]}}
    assert observing.called(RECIPE, result(told), NONCE) == (("t.py::t", (("a.py", 1), ("b.py", 3), ("b.py", 7))),)


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\n", b"[]\n", b"{\n", b"null\n", b"[" * 5000 + b"\n",
        {"id": 3, "called": {"a.py": [1]}},
        {"id": "t", "called": [1]},
        {"id": "t", "called": {"a.py": 1}},
        {"id": "t", "called": {"a.py": [True]}},
        {"id": "t", "called": {"a.py": [0]}},
        {"id": "t", "called": {"a.py": [1.5]}},
        {"id": "t", "called": {"a.py": [1 << 40]}},
        {"id": "t", "called": {"a.py": list(range(1, 4100))}},
        {"id": "t", "called": {"x" * 9000: [1]}},
        {"id": "t", "called": {}},
        {"probe": -1, "value": "x"},
        {"probe": 2, "value": "x"},
        {"probe": "0", "value": "x"},
        {"probe": 0, "value": "x" * 301},
        {"probe": 0, "value": 3},
    ],
)  # fmt: skip
def test_a_line_that_no_observer_writes_counts_for_nothing_and_spoils_no_other(line: object) -> None:
    good = {"id": "good", "called": {"a.py": [1]}}
    value = {"probe": 1, "value": "1"}
    told = result(line, good, value)
    assert observing.called(RECIPE, told, NONCE) == (("good", (("a.py", 1),)),)
    assert observing.answers(RECIPE, told, QUESTIONS, NONCE) == ((), ("1",))


def test_only_the_first_claim_about_a_test_and_so_many_answers_count() -> None:
    told = result(*[{"id": "t", "called": {"a.py": [number]}} for number in (1, 2)])
    assert observing.called(RECIPE, told, NONCE) == (("t", (("a.py", 1),)),)
    told = result(*[{"probe": 0, "value": str(number)} for number in range(9)])
    assert observing.answers(RECIPE, told, QUESTIONS, NONCE) == (("0", "1"), ())


def test_tests_and_functions_are_bounded_together() -> None:
    many = [{"id": f"t{number}", "called": {"a.py": list(range(1, 301))}} for number in range(3000)]
    found = observing.called(RECIPE, result(*many), NONCE)
    assert sum(len(functions) for _, functions in found) <= observing.MAX_ALL_FUNCTIONS
    small = [{"id": f"t{number}", "called": {"a.py": [1]}} for number in range(3000)]
    assert len(observing.called(RECIPE, result(*small), NONCE)) == observing.MAX_TESTS


def test_a_run_that_left_no_file_tells_nothing() -> None:
    gone = RunResult(Verdict.TIMEOUT, None, b"", output_truncated=False)
    assert observing.called(RECIPE, gone, NONCE) == ()
    assert observing.answers(RECIPE, gone, QUESTIONS, NONCE) == ()


@pytest.mark.parametrize(("ecosystem", "command"), [("jest", "jest"), ("script", "t.py"), ("unittest", "make")])
def test_only_pytest_and_unittest_can_be_observed(ecosystem: str, command: str) -> None:
    other = Recipe(ecosystem, (), (command,), "test")
    assert observing.coverage_plan(other, (), 9, NONCE) is None
    assert observing.trace_plan(other, "t", QUESTIONS, 9, NONCE) is None


def test_the_plan_is_the_usual_one_with_an_observer_beside_the_plugin() -> None:
    plan = observing.trace_plan(RECIPE, "t.py::t", QUESTIONS, 9, NONCE)
    assert plan is not None
    name = public(NONCE)
    told = json.loads(plan.tree[f"{name}/selection.json"].data)
    assert told["node_ids"] == ["t.py::t"]
    assert told["observer"] == {"seconds": 9, "probes": [list(question) for question in QUESTIONS]}
    assert {f"{name}/observer.py", f"{name}/regreen_observer_{name}.py"} <= plan.tree.keys()
