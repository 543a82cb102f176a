import json
from collections.abc import Mapping

import pytest
from fakes import FakeClock, MemoryJournal, ScriptedModel
from fakes_workspace import ScriptedWorkspace, Suite, heeding

from bot.errors import NoTestsError
from bot.repair.meter import Meter, MeteredModel, free
from bot.repair.prompting.room import Asker, Room
from bot.repair.rules import Rules, World
from bot.repair.solving.hidden_tests import SCRIPT_FILE, TEST_FILE
from bot.repair.solving.solution import SOLUTION, SolutionProposer
from bot.repair.solving.solve import SolvePlan, SolveReport, plan, solve
from bot.repair.team.facts import ModelFacts
from bot.repair.types import BudgetLimits, StopReason
from sandbox.spec import Outcome, TestResult

TASK = "Write `add(a, b)`: the sum.\n\nOf two integers."
TESTS = """
def test_small():
    assert add(2, 3) == 5
def test_zero():
    assert add(0, 0) == 0
def test_large():
    assert add(100, 200) == LARGE
"""
NAMES = ("small", "zero", "large")
WRONG, RIGHT = "```python\ndef add(a, b): return a - b\n```", "```python\ndef add(a, b): return a + b\n```"


def suite(large: int) -> Suite:
    """What the three tests do, without running anything: the code is told by its operator."""

    def run(files: Mapping[str, bytes]) -> Mapping[str, Outcome | TestResult]:
        code = files["solution.py"]
        results = {"small": b"+" in code, "zero": b"add" in code, "large": b"+" in code and large == 300}
        return {f"{TEST_FILE}::test_{name}": Outcome.PASSED if results[name] else Outcome.FAILED for name in NAMES}

    return run


def run(what: SolvePlan, replies: list[str], suite_: Suite) -> SolveReport:
    meter = Meter(BudgetLimits(), FakeClock())
    tree = {path: file.data for path, file in what.tree.items()}
    tests = {path: data for path, data in tree.items() if path != SOLUTION}
    workspace = ScriptedWorkspace(tree, heeding(tests, suite_))
    model = MeteredModel(ScriptedModel(replies), meter, free, "coder")
    return solve(
        what,
        SolutionProposer(Asker(model, Room(ModelFacts()))),
        World(workspace, FakeClock(), MemoryJournal(), meter),
        Rules(),
    )


def test_a_plan_is_an_empty_module_beside_its_tests() -> None:
    what = plan(TASK, TESTS.replace("LARGE", "300"))

    assert set(what.tree) == {"solution.py", TEST_FILE}
    assert what.tree["solution.py"].data == b""
    assert b"from solution import *" in what.tree[TEST_FILE].data
    assert what.recipe.ecosystem == "python"


def test_a_plan_is_named_by_its_content() -> None:
    assert plan(TASK, "assert f()").base == plan(TASK, "assert f()").base
    assert plan(TASK, "assert f()").base.commit != plan(TASK, "assert g()").base.commit


def test_modules_are_written_until_the_hidden_tests_pass() -> None:
    report = run(plan(TASK, TESTS.replace("LARGE", "300")), [WRONG, RIGHT], suite(300))

    assert (report.solved, report.attempts, report.passed_by_attempt, report.tests) == (True, 2, (1, 3), 3)
    assert report.stop is StopReason.SOLVED
    assert "a + b" in report.code
    assert report.suspicions == ()
    assert report.usage.tokens == 240


def test_an_honest_stop_points_at_the_test_that_may_be_wrong() -> None:
    report = run(plan(TASK, TESTS.replace("LARGE", "301")), [WRONG, RIGHT, RIGHT], suite(301))

    assert (report.solved, report.stop, report.passed_by_attempt) == (False, StopReason.IDENTICAL_CODE, (1, 2, 2))
    assert report.suspicions == ("test_large may itself be wrong: a + b is 300, not 301",)
    assert "a + b" in report.code
    assert report.suspicions[0] in report.lines()


def test_a_module_that_fails_everything_vouches_for_no_suspicion() -> None:
    report = run(plan(TASK, TESTS.replace("LARGE", "301")), ["```python\nx = 1\n```"] * 2, suite(301))

    assert (report.solved, report.suspicions) == (False, ())
    assert report.code == "x = 1\n"


def test_a_script_counts_as_one_test() -> None:
    what = plan(TASK, 'assert add(2, 3) == 5\nprint("OK")\n')

    def outcome(files: Mapping[str, bytes]) -> Mapping[str, Outcome]:
        return {SCRIPT_FILE: Outcome.PASSED if b"+" in files["solution.py"] else Outcome.FAILED}

    report = run(what, [WRONG, RIGHT], outcome)

    assert (report.solved, report.attempts, report.tests) == (True, 2, 1)
    assert report.verdict_from == "a plain script: exit status 0 and its own closing line, both"


def test_tests_that_pass_without_a_solution_are_refused() -> None:
    with pytest.raises(NoTestsError, match="No test fails on an empty module"):
        run(plan(TASK, TESTS), [], lambda _: {f"{TEST_FILE}::test_small": Outcome.PASSED})


def test_a_report_is_plain_json() -> None:
    report = run(plan(TASK, TESTS.replace("LARGE", "300")), ["prose", RIGHT], suite(300))

    document = json.loads(json.dumps(report.as_json()))
    assert document["solved"] is True
    assert [attempt["verdict"] for attempt in document["history"]] == ["not_applied", "solved"]
