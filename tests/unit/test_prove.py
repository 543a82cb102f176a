"""What a green patch must fail: tests that cannot pass, and its targets without it."""

from collections.abc import Mapping
from types import FunctionType

import pytest
from fakes import patch
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.repair.integrity.prove import prove
from bot.repair.measuring.baseline import measure
from bot.repair.types import FileChange, Patch, Task
from sandbox.spec import Outcome, RunState, TestRun

WRONG = b"def add(a, b):\n    return a - b\n"
RIGHT = patch(calc="def add(a, b):\n    return a + b\n")
TEST = "tests/test_calc.py"
ADDS = f"{TEST}::test_add"
TARGETS = (ADDS, f"{TEST}::test_more")
TREE = {
    "calc.py": WRONG,
    TEST: b"def test_add():\n    assert add(1, 2) == 3\n\n\ndef test_more():\n    assert add(2, 2) > 3\n",
}


def ran(files: Mapping[str, bytes]) -> dict[str, Outcome]:
    """Every test function of the tree, called."""
    names: dict[str, object] = {}
    for path in ("calc.py", TEST):
        exec(files[path], names)  # noqa: S102 (sources of this file)
    return {f"{TEST}::{name}": _outcome(name, names) for name in list(names) if name.startswith("test_")}


def _outcome(name: str, names: Mapping[str, object]) -> Outcome:
    function = names[name]
    assert isinstance(function, FunctionType)
    try:
        function()
    except AssertionError:
        return Outcome.FAILED
    return Outcome.PASSED


def proof(world: ScriptedWorkspace, change: Patch, additions: Patch = Patch()) -> str | None:  # noqa: B008 (frozen)
    baseline = measure(world, BASE)
    world.calls.clear()
    return prove(world, Task(BASE, "", "", TARGETS, additions), baseline, change)


def test_a_true_fix_is_proved_by_one_batch_of_two_runs() -> None:
    world = ScriptedWorkspace(TREE, ran)
    assert proof(world, RIGHT) is None
    (without, selection), (altered, _) = world.calls
    assert "calc.py" not in without.paths
    assert altered.paths == ("calc.py", TEST)
    assert set(TARGETS) < set(selection.node_ids)


def test_what_equals_everything_is_not_believed() -> None:
    text = "class Any:\n    def __eq__(self, o): return True\n    def __gt__(self, o): return True\n"
    found = proof(ScriptedWorkspace(TREE, ran), patch(calc=f"{text}def add(a, b):\n    return Any()\n"))
    assert found is not None
    assert "although another result was expected" in found


def test_results_that_are_forged_by_name_are_not_believed() -> None:
    def forging(files: Mapping[str, bytes]) -> dict[str, Outcome]:
        forged = dict.fromkeys(TARGETS, Outcome.PASSED) if b"forge" in files["calc.py"] else {}
        return {**ran(files), **forged}

    assert proof(ScriptedWorkspace(TREE, forging), patch(calc=WRONG.decode() + "# forge\n"))


def test_results_that_are_all_forged_are_not_believed() -> None:
    def forging(files: Mapping[str, bytes]) -> dict[str, Outcome]:
        outcomes = ran(files)
        return dict.fromkeys(outcomes, Outcome.PASSED) if b"forge" in files["calc.py"] else outcomes

    tree = {**TREE, TEST: b"def test_add():\n    if add(1, 2) != 3:\n        raise AssertionError\n    return\n"}
    world = ScriptedWorkspace(tree, forging)
    baseline = measure(world, BASE)
    found = prove(world, Task(BASE, "", "", (ADDS,)), baseline, patch(calc=WRONG.decode() + "# forge\n"))
    assert found is not None
    assert "must fail did not fail" in found


def test_a_target_that_passes_without_the_fix_proves_nothing() -> None:
    runs = iter([*[dict.fromkeys(TARGETS, Outcome.FAILED)] * 2, *[dict.fromkeys(TARGETS, Outcome.PASSED)] * 3])
    found = proof(ScriptedWorkspace(TREE, lambda _: next(runs)), RIGHT)
    assert found is not None
    assert "passed" in found


def test_a_target_that_fails_only_in_company_is_run_with_the_whole_suite() -> None:
    world = ScriptedWorkspace(TREE, ran)
    baseline = measure(world, BASE)
    red, green = dict.fromkeys(TARGETS, Outcome.FAILED), dict.fromkeys(TARGETS, Outcome.PASSED)
    runs = iter((green, red, red))
    world.suite = lambda _: next(runs)
    assert prove(world, Task(BASE, "", "", TARGETS), baseline, RIGHT) is None
    assert world.calls[-1][1].node_ids == ()


def test_tests_that_the_task_adds_stay_when_the_fix_goes() -> None:
    tree = {"calc.py": WRONG, TEST: b"def test_old():\n    pass\n"}
    world = ScriptedWorkspace(tree, ran)
    baseline = measure(world, BASE)
    world.calls.clear()
    added = Patch((FileChange(TEST, TREE[TEST]),))
    assert prove(world, Task(BASE, "", "", TARGETS, added), baseline, RIGHT) is None
    assert all(TEST in change.paths for change, _ in world.calls)


@pytest.mark.parametrize("state", [RunState.INCONSISTENT, RunState.NO_RESULTS, RunState.COLLECTION_FAILED])
def test_a_run_that_ends_otherwise_beside_failing_tests_is_not_believed(state: RunState) -> None:
    def suite(files: Mapping[str, bytes]) -> TestRun:
        bad = files["calc.py"] != WRONG
        return TestRun(state, output="why") if bad else run_of(ran(files))

    assert "why" in (proof(ScriptedWorkspace(TREE, suite), RIGHT) or "")


def test_what_ends_alike_without_the_patch_speaks_against_nobody() -> None:
    world = ScriptedWorkspace(TREE, ran)
    baseline = measure(world, BASE)
    world.suite = lambda _: TestRun(RunState.COLLECTION_FAILED)
    assert prove(world, Task(BASE, "", "", TARGETS), baseline, RIGHT) is None


@pytest.mark.parametrize("state", [RunState.TIMEOUT, RunState.OOM])
def test_a_failing_test_that_hangs_speaks_against_nobody(state: RunState) -> None:
    def suite(files: Mapping[str, bytes]) -> TestRun:
        return TestRun(state) if files["calc.py"] != WRONG else run_of(ran(files))

    assert proof(ScriptedWorkspace(TREE, suite), RIGHT) is None


def test_tests_in_no_file_are_only_run_without_the_fix() -> None:
    world = ScriptedWorkspace({"calc.py": WRONG}, lambda files: {
        "x": Outcome.FAILED if files["calc.py"] == WRONG else Outcome.PASSED
    })  # fmt: skip
    baseline = measure(world, BASE)
    world.calls.clear()
    assert prove(world, Task(BASE, "", "", ("x",)), baseline, RIGHT) is None
    assert [change for change, _ in world.calls] == [Patch()]
