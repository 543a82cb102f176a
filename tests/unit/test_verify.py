from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from fakes import patch
from fakes_workspace import BASE, ScriptedWorkspace, Suite, run_of

from bot.repair.measuring.baseline import settle
from bot.repair.measuring.flake import Flake
from bot.repair.types import WHOLE_SUITE, Base, Baseline, Patch, Selection, Task, Verdict
from bot.repair.verify import GateVerdict, verify, without
from sandbox.spec import Outcome, RunState, TestRun

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
TASK = Task(BASE, "", "", ("t::b",))
BASELINE = settle((run_of({"t::a": PASSED, "t::b": FAILED}),))
GOOD, HARMFUL, USELESS = patch(calc="right"), patch(calc="harmful"), patch(calc="useless")


def suite(files: Mapping[str, bytes]) -> dict[str, Outcome]:
    code = files["calc.py"]
    return {
        "t::a": FAILED if code == b"harmful" else PASSED,
        "t::b": PASSED if code in {b"right", b"harmful"} else FAILED,
    }


def workspace(judge_files: Suite = suite, seconds: float = 1.0) -> ScriptedWorkspace:
    return ScriptedWorkspace({"calc.py": b"wrong"}, judge_files, seconds)


class Batches(ScriptedWorkspace):
    """Keeps the scope and the size of every evaluation."""

    def __init__(self, seconds: float = 1.0) -> None:
        super().__init__({"calc.py": b"wrong"}, suite, seconds)
        self.batches: list[tuple[str, int]] = []

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        self.batches.append(("targets" if selection.node_ids else "suite", len(patches)))
        return super().evaluate(base, patches, selection)


def verify_one(world: ScriptedWorkspace, task: Task, baseline: Baseline, change: Patch) -> GateVerdict:
    (result,) = verify(world, task, baseline, (change,))
    return result


def test_a_solution_runs_its_targets_then_the_suite_then_the_suite_once_more() -> None:
    world = workspace()
    baseline = settle(world.evaluate(BASE, (Patch(),), WHOLE_SUITE))
    world.calls.clear()

    result = verify_one(world, TASK, baseline, GOOD)

    assert result.passed
    assert [trial.scope for trial in result.trials] == ["targets", "suite", "confirmation"]
    assert [selection.node_ids for _, selection in world.calls[:3]] == [("t::b",), (), ()]


def test_a_regression_is_named_and_not_confirmed() -> None:
    result = verify_one(workspace(), TASK, BASELINE, HARMFUL)

    assert (result.verdict, len(result.trials)) == (Verdict.REGRESSED, 2)
    assert result.comparison.regressed == ("t::a",)
    assert "1 of 1 target fixed, but t::a passed before and does not pass now" in result.reason


@pytest.mark.parametrize(("seconds", "runs"), [(60.0, 2), (61.0, 1)])
def test_a_slow_suite_runs_whole_only_for_what_fixed_something(seconds: float, runs: int) -> None:
    world = workspace(seconds=seconds)
    baseline = settle(world.evaluate(BASE, (Patch(),), WHOLE_SUITE))

    assert len(verify_one(world, TASK, baseline, USELESS).trials) == runs
    assert len(verify_one(world, TASK, baseline, GOOD).trials) == 3


def test_a_green_run_that_turns_red_in_the_fresh_container_is_no_solution() -> None:
    green, red = run_of({"t::a": PASSED, "t::b": PASSED}), run_of({"t::a": PASSED, "t::b": FAILED})
    runs = iter((green, green, red))

    result = verify_one(workspace(lambda _: next(runs)), TASK, BASELINE, GOOD)

    assert result.verdict is Verdict.NOT_FIXED
    assert "the run before it, on the same code, was green" in result.reason


@pytest.mark.parametrize("state", [state for state in RunState if state is not RunState.COMPLETE])
def test_a_run_that_cannot_be_believed_is_no_verdict(state: RunState) -> None:
    baseline = BASELINE

    result = verify_one(workspace(lambda _: TestRun(state, output="why")), TASK, baseline, GOOD)

    assert result.verdict is Verdict.INVALID_RUN
    assert "why" in result.reason
    assert len(result.trials) == 1


def test_targets_that_are_the_whole_suite_are_not_run_twice() -> None:
    world = workspace(lambda files: {"t::b": suite(files)["t::b"]})
    baseline = settle(world.evaluate(BASE, (Patch(),), WHOLE_SUITE))

    assert [trial.scope for trial in verify_one(world, TASK, baseline, GOOD).trials] == ["suite", "confirmation"]


def test_several_patches_share_one_evaluation_for_each_scope_and_leave_it_one_by_one() -> None:
    world = Batches()

    results = verify(world, TASK, BASELINE, (USELESS, GOOD, HARMFUL))

    assert [batch for batch in world.batches if batch[0] == "suite"] == [("suite", 3), ("suite", 1)]
    assert world.batches[0] == ("targets", 3)
    assert [result.verdict for result in results] == [Verdict.NOT_FIXED, Verdict.SOLVED, Verdict.REGRESSED]


def test_a_slow_suite_is_spared_what_fixed_nothing_in_a_batch_too() -> None:
    world = Batches(seconds=61.0)

    verify(world, TASK, replace(BASELINE, suite_seconds=61.0), (USELESS, GOOD, USELESS))

    assert world.batches[:3] == [("targets", 3), ("suite", 1), ("suite", 1)]


def test_a_batch_judges_each_patch_as_if_it_were_alone() -> None:
    patches = (GOOD, USELESS, HARMFUL, GOOD)

    assert verify(workspace(), TASK, BASELINE, patches) == tuple(
        verify_one(workspace(), TASK, BASELINE, change) for change in patches
    )


def test_no_patches_cost_no_run() -> None:
    world = Batches()

    assert verify(world, TASK, BASELINE, ()) == ()
    assert world.batches == []


class Wavering:
    """A suite in which one test, on one version of the code, does something else in the runs of these numbers."""

    def __init__(self, node_id: str, code: bytes, odd: Callable[[int], bool]) -> None:
        self.node_id, self.code, self.odd = node_id, code, odd
        self.runs = 0

    def __call__(self, files: Mapping[str, bytes]) -> dict[str, Outcome]:
        outcomes = suite(files)
        if files["calc.py"] == self.code:
            self.runs += 1
            if self.odd(self.runs):
                outcomes[self.node_id] = PASSED if outcomes[self.node_id] is FAILED else FAILED
        return outcomes


def test_a_test_that_breaks_once_and_never_again_is_flaky_and_held_against_nobody() -> None:
    second = Wavering("t::a", b"right", lambda run: run == 2)

    result = verify_one(workspace(second), TASK, BASELINE, GOOD)

    assert result.passed
    assert [flake.node_id for flake in result.flakes] == ["t::a"]
    assert result.comparison.regressed == ()


def test_a_regression_is_confirmed_by_reruns_before_it_counts() -> None:
    result = verify_one(workspace(), TASK, BASELINE, HARMFUL)

    assert (result.verdict, result.flakes) == (Verdict.REGRESSED, ())


def test_a_target_that_turns_green_without_the_patch_shows_nothing() -> None:
    after_a_while = Wavering("t::b", b"wrong", lambda run: run % 2 == 0)

    result = verify_one(workspace(after_a_while), TASK, BASELINE, GOOD)

    assert result.verdict is Verdict.NOT_FIXED
    assert [flake.node_id for flake in result.flakes] == ["t::b"]
    assert result.reason.startswith("every target is flaky: t::b ")
    assert result.comparison.fixed == ()


def test_a_target_that_always_fails_without_the_patch_and_sometimes_with_it_is_not_fixed_and_stays() -> None:
    fourth = Wavering("t::b", b"right", lambda run: run == 4)

    result = verify_one(workspace(fourth), TASK, BASELINE, GOOD)

    assert (result.verdict, result.flakes) == (Verdict.NOT_FIXED, ())
    assert "0 of 1 target fixed for sure: t::b " in result.reason
    assert "in 1 of " in result.reason
    assert (result.comparison.fixed, result.comparison.still_failing) == ((), ("t::b",))


def test_a_patch_that_is_sure_of_one_target_and_not_of_another_is_partial() -> None:
    fourth = Wavering("t::b", b"right", lambda run: run == 4)

    def two(files: Mapping[str, bytes]) -> dict[str, Outcome]:
        return {**fourth(files), "t::c": suite(files)["t::b"]}

    task = replace(TASK, targets=("t::b", "t::c"))
    baseline = settle((run_of({"t::a": PASSED, "t::b": FAILED, "t::c": FAILED}),))

    result = verify_one(workspace(two), task, baseline, GOOD)

    assert (result.verdict, result.flakes) == (Verdict.PARTIAL, ())
    assert "1 of 2 targets fixed for sure: t::b " in result.reason
    assert (result.comparison.fixed, result.comparison.still_failing) == (("t::c",), ("t::b",))


def test_a_patch_that_holds_but_cannot_be_proven_is_rejected() -> None:
    count = Wavering("t::b", b"wrong", lambda _: False)
    assert verify_one(workspace(count), TASK, BASELINE, GOOD).passed
    never_fails_at_last = Wavering("t::b", b"wrong", lambda run: run >= count.runs)

    result = verify_one(workspace(never_fails_at_last), TASK, BASELINE, GOOD)

    assert result.verdict is Verdict.REJECTED
    assert "t::b passed without the patch" in result.reason


def test_what_is_known_to_be_flaky_is_no_target_and_in_no_other_class() -> None:
    flake = Flake("t::b", 1, 2, "passed now and then")
    task, baseline = without(replace(TASK, targets=("t::b", "t::c")), BASELINE, (flake,))

    assert task.targets == ("t::c",)
    assert (baseline.failing_ids, baseline.passing, baseline.flaky) == ((), ("t::a",), ("t::b",))
    assert without(task, baseline, (flake,)) == (task, baseline)
