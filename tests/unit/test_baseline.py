import pytest
from fakes_workspace import BASE, ScriptedWorkspace, run_of

from bot.errors import CollectionFailedError, NoTestsError, SuiteOutputError, SuiteTimeoutError, WorkspaceError
from bot.repair.baseline import measure, settle
from sandbox.spec import Outcome, RunState, TestResult, TestRun

PASSED, FAILED, ERROR, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED


def test_the_suite_runs_twice_on_the_unpatched_tree() -> None:
    workspace = ScriptedWorkspace({}, lambda _: {"a": PASSED, "b": FAILED, "c": SKIPPED}, seconds=7.0)

    baseline = measure(workspace, BASE)

    assert [(patch.changes, selection.node_ids) for patch, selection in workspace.calls] == [((), ()), ((), ())]
    assert (baseline.runs, baseline.suite_seconds) == (2, 7.0)
    assert (baseline.failing_ids, baseline.passing, baseline.skipped) == (("b",), ("a",), ("c",))


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
