"""How often flaky tests mislead: 1,000 jobs for each rate, each with up to eight candidates, against the calculation.

The random numbers are seeded, so the counts are the same each time. Had the true rate been 1 in 1,000, more than
`MOST` of 1,000 jobs would go wrong in fewer than 4 of 1,000 repetitions of such a test.
"""

import math
import random
from collections import Counter
from dataclasses import replace

import pytest
from fakes_flaky import FIX, Asked, FlakyWorkspace
from fakes_workspace import BASE

from bot.repair.measuring.baseline import measure, set_aside
from bot.repair.measuring.flaky import confirm, doubted
from bot.repair.measuring.odds import BASELINE_RUNS, MAX_WRONG, bound, reruns
from bot.repair.types import Baseline, Patch, Task, Verdict
from bot.repair.verify import GateVerdict, verify
from sandbox.spec import Outcome, TestResult

RATES = (0.05, 0.2, 0.5)
JOBS, CANDIDATES, MOST = 1000, 8, 4
CONFIDENT = 0.001
FLAKE = "t::flaky"


def tail(most: int, runs: int, rate: float) -> float:
    """The probability of more than `most` of `runs`."""
    return 1 - sum(math.comb(runs, hits) * rate**hits * (1 - rate) ** (runs - hits) for hits in range(most + 1))


def test_the_stated_confidence_is_that_of_a_true_rate_of_one_in_a_thousand() -> None:
    assert tail(MOST, JOBS, MAX_WRONG) < 0.004


def suite(rate: float, seed: str, broken: tuple[str, ...] = ()) -> FlakyWorkspace:
    """One test that is flaky at this rate, one that always passes, and those that the fix repairs."""
    chance = random.Random(seed)  # noqa: S311 (the same numbers each time)

    def passes(asked: Asked) -> bool:
        if asked.node_id == FLAKE:
            return chance.random() >= rate
        return asked.patched or asked.node_id not in broken

    return FlakyWorkspace([FLAKE, *broken, "t::fine"], passes)


def repaired(workspace: FlakyWorkspace, baseline: Baseline, task: Task, candidate: Patch) -> GateVerdict:
    (result,) = verify(workspace, task, baseline, (candidate,))
    return result


@pytest.mark.parametrize("broken", [(), ("t::broken",)])
@pytest.mark.parametrize("rate", RATES)
def test_in_a_thousand_jobs_flakes_are_called_fixed_or_broken_at_most_as_often_as_one_in_a_thousand_allows(
    rate: float, broken: tuple[str, ...]
) -> None:
    """Seven candidates that change nothing that is tested, then the fix."""
    workspace = suite(rate, f"jobs {rate} {broken}", broken)
    wrong: Counter[str] = Counter()
    for _ in range(JOBS):
        baseline = measure(workspace, BASE)
        task = Task(BASE, "", "", baseline.failing_ids)
        seen = set()
        for number in range(CANDIDATES):
            useless = Patch((replace(FIX.changes[0], content=b"%d" % number),))
            result = repaired(workspace, baseline, task, useless if number < CANDIDATES - 1 else FIX)
            seen |= {"regression"} if FLAKE in result.comparison.regressed else set()
            seen |= {"fix"} if result.verdict is Verdict.SOLVED and FLAKE in result.comparison.fixed else set()
            baseline = set_aside(baseline, result.flakes)
            task = replace(task, targets=tuple(key for key in task.targets if key not in baseline.flaky))
        wrong.update(seen)

    assert wrong["fix"] <= MOST
    assert wrong["regression"] <= MOST


def measured(*, red: bool) -> Baseline:
    failing = (TestResult(FLAKE, Outcome.FAILED),) if red else ()
    return Baseline(BASELINE_RUNS, failing, () if red else (FLAKE,), (), (), 1.0)


@pytest.mark.parametrize("rate", RATES)
def test_reruns_let_a_flake_through_as_often_as_calculated(rate: float) -> None:
    """From where a flake already looks like a fix, or like a regression: that is all that is left to chance."""
    runs, expected = 4000, (rate * (1 - rate)) ** reruns()
    workspace = suite(rate, f"reruns {rate}")
    task = Task(BASE, "", "", (FLAKE,))
    fixes = sum(not any(doubted(workspace, task, measured(red=True), FIX)) for _ in range(runs))
    regressions = sum(bool(confirm(workspace, BASE, FIX, (FLAKE,))[0]) for _ in range(runs))

    for count in (fixes, regressions):
        assert tail(count - 1, runs, expected) > CONFIDENT
        assert 1 - tail(count, runs, expected) > CONFIDENT


@pytest.mark.parametrize("percent", range(1, 100))
def test_at_no_rate_is_the_chance_of_either_error_above_one_in_a_thousand(percent: int) -> None:
    rate = percent / 100
    often = reruns()
    by_fix = rate**BASELINE_RUNS * (rate * (1 - rate)) ** often
    by_regression = (1 - rate) ** BASELINE_RUNS * (rate * (1 - rate)) ** often

    assert max(by_fix, by_regression) <= bound(often, often + BASELINE_RUNS) <= MAX_WRONG


@pytest.mark.parametrize("tests", [1, 2, 10, 100, 1000])
@pytest.mark.parametrize("earlier", [1, 2, 3, 5])
def test_the_fewest_reruns_are_chosen_that_keep_the_bound_for_all_tests_together(tests: int, earlier: int) -> None:
    often = reruns(tests, earlier)

    assert often >= 3
    assert tests * bound(often, often + earlier) <= MAX_WRONG
    assert often == 3 or tests * bound(often - 1, often - 1 + earlier) > MAX_WRONG
