import pytest

from bot.repair.budget import Budget
from bot.repair.types import BudgetLimits, StopReason, Usage

LIMITS = BudgetLimits(iterations=2, tokens=1000, dollars=1.0, wall_seconds=60.0)


def test_a_fresh_budget_stops_nothing() -> None:
    assert Budget(LIMITS, 0.0).stop_before(Usage(400, 600), 59.0) is None


def test_the_reserve_counts_before_the_call() -> None:
    budget = Budget(LIMITS, 0.0).charge(Usage(300, 300))

    assert budget.stop_before(Usage(200, 200), 0.0) is None
    assert budget.stop_before(Usage(200, 201), 0.0) is StopReason.TOKENS


def test_dollars_are_reserved_at_what_tokens_have_cost_so_far() -> None:
    budget = Budget(LIMITS, 0.0).charge(Usage(100, 100, dollars=0.8))

    assert budget.stop_before(Usage(25, 25), 0.0) is None
    assert budget.stop_before(Usage(25, 26), 0.0) is StopReason.DOLLARS
    assert budget.stop_before(Usage(25, 26, dollars=0.1), 0.0) is None


@pytest.mark.parametrize(("now", "stop"), [(59.9, None), (60.0, StopReason.WALL_CLOCK)])
def test_the_clock_stops_a_run(now: float, stop: StopReason | None) -> None:
    assert Budget(LIMITS, 0.0).stop_before(Usage(), now) is stop


def test_iterations_are_counted_as_they_begin() -> None:
    budget = Budget(LIMITS, 0.0).begin()

    assert budget.stop_before(Usage(), 0.0) is None
    assert budget.begin().stop_before(Usage(), 0.0) is StopReason.ITERATIONS


def test_a_search_without_tokens_runs_on_a_budget_of_none() -> None:
    assert Budget(BudgetLimits(tokens=0, dollars=0.0), 0.0).stop_before(Usage(), 0.0) is None


@pytest.mark.parametrize("stop", [StopReason.ITERATIONS, StopReason.TOKENS, StopReason.DOLLARS, StopReason.WALL_CLOCK])
def test_each_stop_shows_its_figures(stop: StopReason) -> None:
    assert any(character.isdigit() for character in Budget(LIMITS, 0.0).explain(stop, 10.0))
