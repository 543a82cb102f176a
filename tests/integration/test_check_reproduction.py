"""A red check that does not show in the sandbox: what was tried, and what became of each id."""

from collections.abc import Mapping
from itertools import count

from fakes_fix import FIFTY, HIGH, ZERO, Stage, failed, grading, passed
from fakes_workspace import Suite

from bot.jobs import State
from bot.pipeline import targets
from bot.repair.flake import Flake
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


def test_the_fates_are_bounded() -> None:
    log = "\n".join(f"FAILED t.py::test_{number}" for number in range(100))
    assert len(targets.fates(Baseline(1, (), (), (), (), 1.0), (log,))) == targets.MAX_FATES
