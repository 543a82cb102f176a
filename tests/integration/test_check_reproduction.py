"""A red check that does not show in the sandbox: what was tried, and what became of each id."""

from collections.abc import Mapping
from itertools import count

import pytest
from fakes_fix import FIFTY, HIGH, ZERO, Stage, failed, grading, passed
from fakes_workspace import Suite

from bot.jobs import State
from bot.pipeline import targets
from bot.repair.measuring.flake import Flake
from bot.repair.types import Baseline
from sandbox.spec import TestResult


def now_and_then() -> Suite:
    """A suite whose one red test of the check comes out both ways."""
    runs = count()

    def suite(files: Mapping[str, bytes]) -> Mapping[str, TestResult]:
        return {**grading(files), FIFTY: failed() if next(runs) % 2 else passed()}

    return suite


def test_ids_that_are_flaky_here_are_no_targets_and_the_answer_says_why() -> None:
    stage = Stage(suite=now_and_then())
    outcome = stage.run(
        stage.check(f"FAILED {FIFTY} - AssertionError", f"FAILED {HIGH} - x\nERROR tests/gone.py::test_x")
    )
    assert outcome.state is State.NOT_REPRODUCED
    said = stage.github.checks[0].summary
    assert "**Could not reproduce**" in said
    assert f"runs of the whole suite on {stage.head[:12]}" in said
    assert f"- `{FIFTY}` is flaky here" in said
    assert f"- `{HIGH}` passes here" in said
    assert "- `tests/gone.py::test_x` is not there" in said


def test_each_id_that_a_log_names_has_its_fate() -> None:
    flake = Flake(FIFTY, 2, 1, "passed 2 of 3 runs")
    baseline = Baseline(3, (), (HIGH, "t.py::test_[a b]"), (FIFTY,), (ZERO,), 1.0, (flake,))
    log = (
        f"FAILED {FIFTY} - no\nFAILED {HIGH}\nERROR {ZERO} - x\nFAILED t.py::test_[a b] - y\nFAILED gone.py::test_z - w"
    )
    assert dict(targets.fates(baseline, (log,))) == {
        FIFTY: "is flaky here: passed 2 of 3 runs",
        HIGH: "passes here in 3 of 3 runs",
        ZERO: "is skipped here",
        "t.py::test_[a b]": "passes here in 3 of 3 runs",
        "gone.py::test_z": "is not there",
    }


GO = "cart/cart_test.go::TestTotal/empty"
UNITTEST = "tests/test_cart.py::CartTest::test_total"
JEST = "src/cart.test.js::Cart > adds up"
VITEST = "src/cart.test.ts::Cart > adds up"
LOGS = {
    GO: "2026-11-30T00:00:01Z     --- FAIL: TestTotal/empty (0.00s)\nFAIL\nFAIL\texample.test/shop\t0.002s\n",
    UNITTEST: "======\nFAIL: test_total (tests.test_cart.CartTest.test_total)\n------\n",
    JEST: "FAIL src/cart.test.js\n  \x1b[1m● Cart \u203a adds up\x1b[0m\n",
    VITEST: " FAIL  src/cart.test.ts > Cart > adds up\nAssertionError: expected 1 to be 2\n",
}


@pytest.mark.parametrize("node_id", LOGS)
def test_other_runners_logs_choose_among_what_is_red_here(node_id: str) -> None:
    assert targets.for_check(("other::x", node_id), (LOGS[node_id],)) == (node_id,)
    assert targets.for_check(("other::x",), (LOGS[node_id],), (node_id,)) == ()
    assert targets.fates(Baseline(3, (), (node_id,), (), (), 1.0), (LOGS[node_id],)) == (
        (node_id, "passes here in 3 of 3 runs"),
    )


def test_unittests_older_summary_is_read_too() -> None:
    log = "ERROR: test_total (tests.test_cart.CartTest)"
    assert targets.for_check((UNITTEST, "x::y"), (log,)) == (UNITTEST,)


def test_names_that_nothing_here_has_say_nothing() -> None:
    log = "  ● Test suite failed to run\nERROR: process (exit.code)\n"
    assert targets.for_check(("a::b", "c::d"), (log,)) == ("a::b", "c::d")


def test_the_fates_are_bounded() -> None:
    log = "\n".join(f"FAILED t.py::test_{number}" for number in range(100))
    assert len(targets.fates(Baseline(1, (), (), (), (), 1.0), (log,))) == targets.MAX_FATES
