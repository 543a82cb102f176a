import time
from collections.abc import Callable

import pytest

from bot.pipeline import targets
from sandbox.spec import Frame, Outcome, TestResult

FAILING = ("tests/test_a.py::test_total[1-2]", "tests/test_a.py::test_total[3-4]", "tests/test_b.py::TestX::test_rate")


def test_an_issue_that_names_no_test_is_about_all_red_ones() -> None:
    assert targets.for_issue(FAILING, "The total is wrong") == FAILING


def test_an_issue_names_tests_by_function_or_by_full_id() -> None:
    assert targets.for_issue(FAILING, "see test_rate please") == FAILING[2:]
    assert targets.for_issue(FAILING, "fails: tests/test_a.py::test_total[3-4]") == FAILING[:2]


def test_an_issue_that_names_no_test_may_name_a_file_of_tests() -> None:
    assert targets.for_issue(FAILING, "`tests/test_b.py` says what we need.") == FAILING[2:]
    assert targets.for_issue(FAILING, "see test_a.py.") == FAILING[:2]
    assert targets.for_issue(FAILING, "see test_a.py, above all test_rate") == FAILING[2:]


def red(node_id: str, *frames: tuple[str, str]) -> TestResult:
    places = tuple(Frame(path, 1, function) for path, function in frames)
    return TestResult(node_id, Outcome.FAILED, frames=places)


def test_a_red_test_bears_on_a_text_by_its_name_or_by_where_it_fails() -> None:
    results = (
        red("t.py::test_free_slots[1]", ("t.py", "test_free_slots")),
        red("t.py::test_other", ("t.py", "test_other"), ("shop/cart.py", "total")),
        red("t.py::test_more", ("t.py", "test_more")),
    )
    ids = [result.node_id for result in results]
    assert targets.bearing(results, "No slots are free on Monday") == (ids[0],)
    assert targets.bearing(results, "`total` is wrong") == (ids[1],)
    assert targets.bearing(results, "see shop/cart.py.") == (ids[1],)
    assert targets.bearing(results, "It does not work, the test is red") == ()


def test_part_of_a_name_is_no_name() -> None:
    assert targets.for_issue(FAILING, "my_test_rate_limit") == FAILING


LOG = """2026-11-30T00:00:01.0Z \x1b[31mFAILED\x1b[0m tests/test_b.py::TestX::test_rate - AssertionError: assert 1 == 2
2026-11-30T00:00:01.0Z FAILED tests/test_a.py::test_total[1 - 2]
2026-11-30T00:00:01.0Z ##[error]Process completed with exit code 1.
"""


def test_ids_are_read_from_the_short_summary_of_a_job_log() -> None:
    found = targets.named_in_logs((LOG,))
    assert found == {
        "tests/test_b.py::TestX::test_rate - AssertionError: assert 1 == 2",
        "tests/test_a.py::test_total[1 - 2]",
    }


def test_ids_with_blanks_are_found_too() -> None:
    blank = "tests/test_a.py::test_total[1 - 2]"
    assert targets.for_check((*FAILING, blank), (LOG,)) == (FAILING[2], blank)


def test_only_ids_red_here_and_in_ci_are_targets() -> None:
    assert targets.for_check(FAILING, (LOG,)) == FAILING[2:]


def test_nothing_red_here_of_what_ci_named_means_not_reproduced() -> None:
    assert targets.for_check(("tests/test_c.py::test_other",), (LOG,)) == ()


def test_logs_that_name_no_test_leave_all_red_ones() -> None:
    assert targets.for_check(FAILING, ("make: *** [test] Error 1",)) == FAILING


def test_ids_in_a_huge_log_are_bounded() -> None:
    log = "\n".join(f"FAILED t.py::test_{number}" for number in range(10_000))
    assert len(targets.named_in_logs((log,))) == targets.MAX_LOG_IDS


def test_an_id_is_not_taken_for_one_that_begins_with_it() -> None:
    assert targets.for_check(("a.py::test_x", "a.py::test_x y"), ("FAILED a.py::test_xy - no",)) == ()
    assert targets.for_check(("a.py::test_x", "a.py::test_x y"), ("FAILED a.py::test_x y",)) == (
        "a.py::test_x",
        "a.py::test_x y",
    )


def blank_log(size: int) -> object:
    return targets.named_in_logs(
        ("FAILED a::b" + " " * size + "x", "FAILED" + " " * size + "x", "FAILED " + "a" * size)
    )


def many_ids(size: int) -> object:
    failing = tuple(f"tests/test_{number}.py::test_x[{number}]" for number in range(size))
    log = "\n".join(f"FAILED {node_id} and more" for node_id in failing[::2])
    return targets.for_check(failing, (log,))


def long_issue(size: int) -> object:
    failing = tuple(f"tests/test_{number}.py::test_x{number}" for number in range(size // 4))
    return targets.for_issue(failing, "tests/test_ " * size)


@pytest.mark.parametrize("work", [blank_log, many_ids, long_issue])
def test_time_grows_with_the_input_and_not_with_its_square(work: Callable[[int], object]) -> None:
    def seconds(size: int) -> float:
        times = []
        for _ in range(3):
            started = time.process_time()
            work(size)
            times.append(time.process_time() - started)
        return min(times)

    # 32 times the input: 32 times the time, where a square would be 1024 times
    assert seconds(32_000) < 200 * max(seconds(1_000), 1e-4)
