from dataclasses import replace

import pytest
from fakes_flaky import FlakyWorkspace
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.errors import CollectionFailedError, NoTestsError, SuiteOutputError, SuiteTimeoutError, WorkspaceError
from bot.repair.measuring.baseline import measure, seed_of, set_aside, settle
from bot.repair.measuring.flake import Flake
from sandbox.spec import Outcome, RunState, TestResult, TestRun

PASSED, FAILED, ERROR, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED


SEED = seed_of(BASE)


def shuffled(run: TestRun) -> TestRun:
    return replace(run, seed=SEED)


def test_the_suite_runs_three_times_on_the_unpatched_tree_the_last_time_in_random_order() -> None:
    workspace = FlakyWorkspace(["a", "b"], lambda asked: asked.node_id == "a", seconds=7.0)

    baseline = measure(workspace, BASE)

    assert workspace.calls == [(2, 0, ()), (1, 0, ())]
    assert workspace.seeds == [None, None, SEED]
    assert (baseline.runs, baseline.suite_seconds) == (3, 7.0)
    assert (baseline.failing_ids, baseline.passing, baseline.flaky) == (("b",), ("a",), ())
    assert baseline.orders == f"one of them in random order (seed {SEED})"


def test_each_commit_has_a_random_order_of_its_own() -> None:
    assert seed_of(BASE) == seed_of(replace(BASE, repository="other/name"))
    assert seed_of(BASE) != seed_of(replace(BASE, commit="cafe"))


def test_what_a_random_order_alone_changes_is_flaky_and_says_so() -> None:
    workspace = FlakyWorkspace(["a", "b", "c"], lambda asked: (asked.seed is None) == (asked.node_id == "a"))

    baseline = measure(workspace, BASE)

    one, two, three = baseline.flakes
    assert baseline.flaky == ("a", "b", "c")
    assert (one.held, one.passed, one.failed) == (True, 2, 1)
    assert (two.held, two.passed, two.failed) == (False, 1, 2)
    assert one.evidence == (
        f"failed only in random order (seed {SEED}); in the runner's own order it passed in 2 of 2 runs"
    )
    assert three.evidence.startswith("passed only in random order")


def test_a_runner_without_a_random_order_runs_as_often_and_says_so() -> None:
    workspace = ScriptedWorkspace({}, lambda _: {"a": PASSED, "c": SKIPPED})

    baseline = measure(workspace, BASE)

    assert (baseline.runs, baseline.skipped) == (3, ("c",))
    assert baseline.orders == "in the runner's own order: it has no random one"


def test_a_slow_suite_is_not_run_a_third_time_and_says_so() -> None:
    workspace = FlakyWorkspace(["a"], lambda _: True, seconds=90.0)

    baseline = measure(workspace, BASE, slow_seconds=60)

    assert workspace.calls == [(2, 0, ())]
    assert baseline.runs == 2
    assert baseline.orders == "in the runner's own order, not in random order, since it takes longer than 60 s"


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (TestRun(RunState.TIMEOUT, seconds=600.0), "hung and was ended"),
        (run_of({"a": FAILED}), "another number of tests"),
    ],
)
def test_a_random_order_that_cannot_be_believed_is_left_out_and_says_so(run: TestRun, why: str) -> None:
    own = run_of({"a": PASSED, "b": FAILED})

    baseline = settle((own, own, shuffled(run)))

    assert (baseline.runs, baseline.passing, baseline.failing_ids, baseline.flaky) == (2, ("a",), ("b",), ())
    assert why in baseline.orders


def test_evidence_counts_runs_and_quotes_the_last_failure() -> None:
    red = TestResult("a", FAILED, exception="OSError", message="port\nin use")
    runs = (run_of({"a": PASSED}), run_of({"a": red}), shuffled(run_of({"a": PASSED})))

    (flake,) = settle(runs).flakes

    assert (flake.passed, flake.failed, flake.held) == (2, 1, False)
    assert flake.evidence == "failed in 1, passed in 2 of 3 runs on the same code; it said: OSError: port in use"


def test_flakes_that_are_found_later_are_set_aside_in_the_baseline() -> None:
    run = run_of({"a": PASSED, "b": FAILED, "c": SKIPPED})
    flakes = (Flake("a", 1, 1, "twice"), Flake("b", 1, 3, "later"))

    baseline = set_aside(set_aside(settle((run, run)), flakes[:1]), flakes)

    assert (baseline.passing, baseline.failing, baseline.skipped) == ((), (), ("c",))
    assert (baseline.flaky, baseline.flakes) == (("a", "b"), flakes)


def test_what_several_candidates_find_flaky_is_set_aside_once_with_what_was_seen_last() -> None:
    run = run_of({"a": PASSED, "b": FAILED})
    first, other, last = Flake("b", 1, 3, "first"), Flake("a", 2, 1, "other"), Flake("b", 2, 5, "last")

    baseline = set_aside(settle((run, run)), (first, other, last))

    assert baseline.flaky == ("b", "a")
    assert baseline.flakes == (last, other)


def test_an_id_that_disagrees_with_itself_is_flaky_and_in_no_other_class() -> None:
    baseline = settle((run_of({"a": PASSED, "b": FAILED}), run_of({"a": FAILED, "b": ERROR})))

    assert baseline.flaky == ("a",)
    assert baseline.failing_ids == ("b",)
    assert baseline.passing == ()


def test_ids_that_change_their_name_between_runs_are_flaky() -> None:
    baseline = settle((run_of({"a": PASSED, "t[0x1]": PASSED}), run_of({"a": PASSED, "t[0x2]": PASSED})))

    assert baseline.passing == ("a",)
    assert baseline.flaky == ("t[0x1]", "t[0x2]")


def test_an_unexpected_pass_counts_as_passing_and_an_expected_failure_as_untested() -> None:
    baseline = settle((run_of({"a": Outcome.XPASSED, "b": Outcome.XFAILED}),))

    assert (baseline.passing, baseline.skipped) == (("a",), ("b",))


def test_a_run_that_shrinks_against_the_other_is_invalid() -> None:
    with pytest.raises(SuiteOutputError, match="2 tests in one run and 1 in another"):
        settle((run_of({"a": PASSED, "b": PASSED}), run_of({"a": PASSED})))


@pytest.mark.parametrize(
    ("state", "error"),
    [
        (RunState.NO_TESTS, NoTestsError),
        (RunState.COLLECTION_FAILED, CollectionFailedError),
        (RunState.TIMEOUT, SuiteTimeoutError),
        (RunState.OUTPUT_LIMIT, SuiteOutputError),
        (RunState.OOM, SuiteOutputError),
        (RunState.NO_RESULTS, SuiteOutputError),
        (RunState.INCONSISTENT, SuiteOutputError),
    ],
)
def test_a_run_that_cannot_be_believed_raises_with_cause_and_remedy(
    state: RunState, error: type[WorkspaceError]
) -> None:
    runs = (run_of({"a": PASSED}), TestRun(state, exit_code=3, output="last words"))

    with pytest.raises(error) as caught:
        settle(runs)

    assert "last words" in caught.value.cause
    assert "exit code 3" in caught.value.cause
    assert caught.value.remedy


def test_a_failed_collection_quotes_the_import_error() -> None:
    broken = TestResult("tests/test_a.py", Outcome.ERROR, "collect", 0.0, "ModuleNotFoundError", "No module named 'x'")

    with pytest.raises(CollectionFailedError, match=r"tests/test_a\.py: ModuleNotFoundError: No module named 'x'"):
        settle((TestRun(RunState.COLLECTION_FAILED, (broken,), 0, 2),))


def test_a_complete_run_without_results_is_a_repository_without_tests() -> None:
    with pytest.raises(NoTestsError, match="No test was collected"):
        settle((run_of({}),))
