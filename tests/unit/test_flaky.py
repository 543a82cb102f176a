"""Isolated reruns: what they call a regression, a flake or a fix, and how many runs they take."""

from collections.abc import Callable
from dataclasses import replace
from itertools import cycle

import pytest
from fakes_flaky import FIX, Asked, FlakyWorkspace
from fakes_workspace import BASE, run_of

from bot.repair.measuring.compare import compare
from bot.repair.measuring.flake import Flake
from bot.repair.measuring.flaky import confirm, doubted, steady
from bot.repair.types import Baseline, FileChange, Patch, Task
from sandbox.spec import Outcome, RunState, TestResult, TestRun

ADDED = Patch((FileChange("tests/test_new.py", b"def test(): ..."),))
HUNG = TestRun(RunState.TIMEOUT)


def baseline(*, failing: tuple[str, ...] = (), flaky: tuple[str, ...] = (), seconds: float = 1.0) -> Baseline:
    red = tuple(TestResult(node_id, Outcome.FAILED) for node_id in failing)
    return Baseline(3, red, ("a", "b"), flaky, (), seconds)


def task(*targets: str) -> Task:
    return Task(BASE, "title", "text", targets)


def in_turn(answers: list[bool]) -> Callable[[Asked], bool]:
    """With the patch these in turn, for ever; on base a pass."""
    turn = cycle(answers)
    return lambda asked: next(turn) if asked.patched else True


def test_what_fails_with_the_patch_and_passes_without_it_in_every_rerun_is_a_regression() -> None:
    workspace = FlakyWorkspace(["a", "b"], lambda asked: not asked.patched)

    assert confirm(workspace, BASE, FIX, ("a", "b")) == (("a", "b"), ())
    assert workspace.calls == [(3, 3, ("a", "b")), (1, 1, ("a", "b"))]


def test_what_passes_with_the_patch_now_and_then_is_flaky_and_says_so() -> None:
    workspace = FlakyWorkspace(["a"], in_turn([False, True, False]))

    regressions, (flake,) = confirm(workspace, BASE, FIX, ("a",))

    assert regressions == ()
    assert (flake.node_id, flake.passed, flake.failed, flake.held) == ("a", 1, 3, True)
    assert "in 2 of 3 runs with the patch and in 0 of 3 without it: the patch may break it" in flake.evidence
    assert workspace.calls == [(3, 3, ("a",))]


def test_what_fails_without_the_patch_as_well_is_flaky_and_says_so() -> None:
    workspace = FlakyWorkspace(["a"], lambda _: False)

    regressions, (flake,) = confirm(workspace, BASE, FIX, ("a",))

    assert (regressions, flake.passed, flake.failed, flake.held) == ((), 1, 4, False)
    assert "in 4 of 4 without it" in flake.evidence


def test_reruns_grow_with_the_suspects_once_one_of_them_is_flaky() -> None:
    suspects = tuple("abcdef")
    calm = FlakyWorkspace(suspects, lambda asked: not asked.patched)
    flaky = FlakyWorkspace(suspects, lambda asked: asked.node_id == "a" or not asked.patched)

    assert confirm(calm, BASE, FIX, suspects)[0] == suspects
    assert confirm(flaky, BASE, FIX, suspects)[0] == suspects[1:]
    assert [call[:2] for call in calm.calls] == [(3, 3), (1, 1)]
    assert [call[:2] for call in flaky.calls] == [(3, 3), (3, 3)]


def test_a_baseline_that_was_flaky_or_short_asks_for_more_reruns() -> None:
    runs = []
    for known in (baseline(), baseline(flaky=("z",))):
        workspace = FlakyWorkspace(["a", "b"], lambda asked: not asked.patched)
        confirm(workspace, BASE, FIX, ("a", "b"), baseline=known)
        runs.append(workspace.runs)

    assert runs == [8, 10]


def test_a_known_flake_that_a_patch_may_break_takes_more_reruns_with_each_candidate() -> None:
    held = Flake("a", 1, 3, "with another patch", held=True)
    known = replace(baseline(), passing=("b",), flaky=("a",), flakes=(held,))
    workspace = FlakyWorkspace(["a", "b"], lambda asked: not asked.patched)

    assert compare(known, run_of({"a": Outcome.FAILED, "b": Outcome.PASSED})).regressed == ("a",)
    assert confirm(workspace, BASE, FIX, ("a",), baseline=known) == (("a",), ())
    assert workspace.calls == [(3, 3, ("a",)), (3, 3, ("a",))]


def test_a_rerun_with_the_patch_that_cannot_be_believed_is_no_pass() -> None:
    on_patch = FlakyWorkspace(["a"], lambda asked: not asked.patched)
    on_patch.answers = [TestRun(RunState.COMPLETE, (TestResult("a", Outcome.PASSED),))] * 3 + [HUNG] * 3

    assert confirm(on_patch, BASE, FIX, ("a",))[0] == ("a",)


@pytest.mark.parametrize("state", [RunState.TIMEOUT, RunState.OOM, RunState.INCONSISTENT])
def test_a_rerun_on_base_that_cannot_be_believed_clears_nobody(state: RunState) -> None:
    hung = TestRun(state)
    once = FlakyWorkspace(["a"], lambda asked: not asked.patched, [hung])
    always = FlakyWorkspace(["a"], lambda asked: not asked.patched)
    always.answers = ([hung] * 3 + [run_of({"a": Outcome.FAILED})] * 3) + [hung, run_of({"a": Outcome.FAILED})]

    assert confirm(once, BASE, FIX, ("a",)) == (("a",), ())
    assert confirm(always, BASE, FIX, ("a",)) == (("a",), ())


def test_runs_on_base_that_cannot_be_believed_are_in_no_count() -> None:
    workspace = FlakyWorkspace(["a"], lambda _: True, [HUNG])

    (flake,) = confirm(workspace, BASE, FIX, ("a",))[1]

    assert "in 0 of 3 runs with the patch and in 0 of 2 without it" in flake.evidence
    assert flake.held


def in_company(asked: Asked) -> bool:
    """Never alone; with the whole suite on base only."""
    return asked.whole and not asked.patched


def test_what_passes_on_base_in_company_only_and_never_with_the_patch_is_a_regression() -> None:
    workspace = FlakyWorkspace(["a", "b"], in_company)

    assert confirm(workspace, BASE, FIX, ("a",), baseline=baseline()) == (("a",), ())
    assert workspace.calls == [(3, 3, ("a",)), (4, 4, ())]


def test_what_passes_in_company_with_the_patch_as_well_is_flaky_and_says_so() -> None:
    workspace = FlakyWorkspace(["a", "b"], lambda asked: asked.whole)

    regressions, (flake,) = confirm(workspace, BASE, FIX, ("a",), baseline=baseline())

    assert (regressions, flake.held) == ((), True)
    assert "repeated with the suite, in 0 of 4 runs with the patch and in 0 of 4 without it" in flake.evidence


def test_in_a_slow_suite_what_never_passes_alone_on_base_stays_a_regression() -> None:
    workspace = FlakyWorkspace(["a", "b"], in_company)

    assert confirm(workspace, BASE, FIX, ("a",), baseline=baseline(seconds=1000)) == (("a",), ())
    assert workspace.calls == [(3, 3, ("a",))]


def test_a_test_that_does_not_exist_on_base_is_a_regression_when_it_fails_with_the_patch() -> None:
    workspace = FlakyWorkspace([], lambda _: False)
    workspace.answers = ([TestRun(RunState.NO_TESTS)] * 3 + [TestRun(RunState.COMPLETE)] * 3) + (
        [TestRun(RunState.COMPLETE), TestRun(RunState.COMPLETE)]
    )

    assert confirm(workspace, BASE, FIX, ("new",)) == (("new",), ())


def test_of_very_many_suspects_a_few_are_enough_to_prove_the_patch_wrong() -> None:
    suspects = tuple(f"t{number}" for number in range(500))
    broken = FlakyWorkspace(suspects, lambda asked: not asked.patched)
    unlucky = FlakyWorkspace(suspects, lambda _: True)

    assert confirm(broken, BASE, FIX, suspects) == (suspects, ())
    assert {len(ids) for _, _, ids in broken.calls} == {20}
    regressions, flakes = confirm(unlucky, BASE, FIX, suspects)
    assert (regressions, [flake.node_id for flake in flakes]) == ((), list(suspects))


def test_added_tests_lie_under_base_and_patch() -> None:
    seen: list[Patch] = []

    class Watching(FlakyWorkspace):
        def _patched(self, patch: Patch) -> bool:
            seen.append(patch)
            return super()._patched(patch)

    confirm(Watching(["a"], lambda asked: not asked.patched), BASE, FIX, ("a",), ADDED)

    assert {patch.paths for patch in seen} == {("tests/test_new.py",), ("calc.py", "tests/test_new.py")}


def test_a_fix_holds_when_its_targets_keep_failing_without_it_and_passing_with_it() -> None:
    workspace = FlakyWorkspace(["t"], lambda asked: asked.patched)

    assert doubted(workspace, task("t"), baseline(failing=("t",)), FIX) == ((), ())
    assert workspace.calls == [(4, 4, ("t",))]


def test_many_targets_are_repeated_more_often_in_a_flaky_suite() -> None:
    targets = tuple("tuvw")
    workspace = FlakyWorkspace(targets, lambda asked: asked.patched)

    for flaky in ((), ("z",)):
        assert doubted(workspace, task(*targets), baseline(failing=targets, flaky=flaky), FIX) == ((), ())
    assert [call[:2] for call in workspace.calls] == [(4, 4), (5, 5)]


def test_a_target_that_passes_on_base_is_flaky_and_one_that_fails_with_the_fix_is_not_fixed() -> None:
    turn = cycle([True, False, False, False])
    on_base = FlakyWorkspace(["t"], lambda asked: asked.patched or next(turn))
    with_fix = FlakyWorkspace(["t"], lambda asked: asked.patched and not next(turn))

    (one,), none = doubted(on_base, task("t"), baseline(failing=("t",)), FIX)
    nothing, (two,) = doubted(with_fix, task("t"), baseline(failing=("t",)), FIX)

    assert (none, nothing) == ((), ())
    assert (one.passed, one.failed) == (1, 6)
    assert "failed on base in 3 runs of the suite; repeated, in 3 of 4 runs on base" in one.evidence
    assert (two.node_id, two.passed, two.failed) == ("t", 4, 1)
    assert "in 4 of 4 runs on base and in 1 of 4 with the patch" in two.evidence


def test_a_target_that_fails_in_company_only_is_repeated_with_the_whole_suite() -> None:
    workspace = FlakyWorkspace(["t", "a"], lambda asked: asked.node_id == "a" or asked.patched or not asked.whole)

    assert doubted(workspace, task("t"), baseline(failing=("t",)), FIX) == ((), ())
    assert workspace.calls == [(4, 4, ("t",)), (4, 4, ())]


def test_in_a_slow_suite_a_target_that_passes_alone_is_not_believed() -> None:
    workspace = FlakyWorkspace(["t"], lambda asked: asked.patched or not asked.whole)

    (flake,), _ = doubted(workspace, task("t"), baseline(failing=("t",), seconds=1000), FIX)

    assert (flake.passed, flake.failed) == (4, 3)
    assert workspace.calls == [(4, 4, ("t",))]


def test_flaky_ones_among_the_red_are_found_before_a_repair_and_dependent_ones_stay() -> None:
    turn = cycle([True, False])
    passing: dict[str, Callable[[Asked], bool]] = {
        "red": lambda _: False,
        "flaky": lambda _: next(turn),
        "dependent": lambda asked: not asked.whole,
    }
    workspace = FlakyWorkspace(list(passing), lambda asked: passing[asked.node_id](asked))

    found = steady(workspace, BASE, baseline(failing=tuple(passing)))

    assert found.failing_ids == ("red", "dependent")
    assert (found.flaky, [flake.node_id for flake in found.flakes]) == (("flaky",), ["flaky"])
    assert workspace.calls == [(3, 0, tuple(passing))]


def test_where_nothing_or_everything_or_very_much_is_red_nothing_runs_again() -> None:
    workspace = FlakyWorkspace(["a"], lambda _: True)
    everything = replace(baseline(failing=("t",)), passing=())

    for known in (baseline(), everything, baseline(failing=tuple(map(str, range(500))))):
        assert steady(workspace, BASE, known) == known
    assert workspace.calls == []
