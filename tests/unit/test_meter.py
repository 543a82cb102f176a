"""The budget: what was reserved fits, what was spent counts, and nothing is asked for beyond either."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from fakes import FakeClock, ScriptedModel
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BudgetError, ModelError
from bot.repair.meter import Meter, MeteredModel, free
from bot.repair.prompting.room import estimate
from bot.repair.types import BudgetLimits, Completion, CompletionLimits, Message, StopReason, Usage

LIMITS = BudgetLimits(iterations=2, tokens=1000, dollars=1.0, wall_seconds=60.0)


def meter(limits: BudgetLimits = LIMITS, step: float = 0.0) -> Meter:
    return Meter(limits, FakeClock(step=step))


def test_what_exactly_fits_may_be_asked() -> None:
    meter().reserve("coder", Usage(400, 600, 1.0))


def test_what_was_spent_counts_beside_the_reserve() -> None:
    made = meter()
    made.charge("coder", Usage(300, 300))

    made.reserve("coder", Usage(200, 200))
    with pytest.raises(BudgetError, match="600 of 1000 tokens used, and the next call may need 401"):
        made.reserve("coder", Usage(200, 201))
    assert made.stop is not None
    assert made.stop[0] is StopReason.TOKENS


def test_dollars_are_reserved_too() -> None:
    made = meter()
    made.charge("coder", Usage(1, 1, 0.8))

    with pytest.raises(BudgetError, match=r"\$0.8000 of \$1.00 used, and the next call may need \$0.3000"):
        made.reserve("coder", Usage(1, 1, 0.3))
    assert made.stop is not None
    assert made.stop[0] is StopReason.DOLLARS


def test_nothing_is_asked_when_the_time_is_over() -> None:
    made = meter(step=61.0)

    with pytest.raises(BudgetError, match="61 of 60 seconds used"):
        made.reserve("coder", Usage())
    assert made.stop is not None
    assert made.stop[0] is StopReason.WALL_CLOCK


@pytest.mark.parametrize(("later", "stop"), [(59.9, None), (60.0, StopReason.WALL_CLOCK)])
def test_the_clock_ends_a_run(later: float, stop: StopReason | None) -> None:
    made = meter()
    found = made.over(made.started + later)

    assert (found[0] if found else None) is stop


def test_iterations_are_counted_as_they_begin() -> None:
    made = meter()
    made.begin()
    assert made.over(made.started) is None
    made.begin()

    assert made.over(made.started) == (StopReason.ITERATIONS, "2 of 2 iterations used")


def test_a_role_stays_within_its_share_and_takes_nothing_from_others() -> None:
    made = meter()
    made.charge("critic", Usage(200, 0))

    with pytest.raises(BudgetError, match="200 of 250 tokens used"):
        made.reserve("critic", Usage(51, 0), share=0.25)
    made.reserve("critic", Usage(50, 0), share=0.25)
    made.reserve("coder", Usage(800, 0))


def test_the_stop_is_that_of_the_last_refused_call_and_its_own_kind() -> None:
    made = meter()
    with pytest.raises(BudgetError):
        made.reserve("critic", Usage(1001, 0))
    made.charge("coder", Usage(10, 0, 0.4))
    with pytest.raises(BudgetError):
        made.reserve("coder", Usage(1, 0, 0.2), share=0.5)

    figures = "$0.4000 of $0.50 used, and the next call may need $0.2000"
    assert made.stop == (StopReason.DOLLARS, f"of what the coder may use, {figures}")


def test_a_run_without_models_needs_no_budget_for_them() -> None:
    assert meter(BudgetLimits(tokens=0, dollars=0.0)).over(0.0) is None


def test_spending_is_told_by_role() -> None:
    made = meter()
    made.charge("coder", Usage(1, 2, 0.25))
    made.charge("critic", Usage(3, 4, 0.5, estimated=True))
    made.charge("coder", Usage(5, 6))

    assert made.by_role == {"coder": Usage(6, 8, 0.25), "critic": Usage(3, 4, 0.5, estimated=True)}
    assert made.spent == Usage(9, 12, 0.75, estimated=True)


def test_a_call_is_reserved_with_its_whole_reply_and_charged_as_it_was() -> None:
    made = meter(BudgetLimits(tokens=1000))
    asked = MeteredModel(ScriptedModel(["a", "b"]), made, free, "coder")
    prompt = (Message("user", "x" * 300),)

    asked.complete(prompt, CompletionLimits(max_tokens=1000 - estimate(prompt)))
    assert made.spent == Usage(100, 20)
    with pytest.raises(BudgetError):
        asked.complete(prompt, CompletionLimits(max_tokens=881 - estimate(prompt)))
    assert asked.complete(prompt, CompletionLimits(max_tokens=880 - estimate(prompt))).text == "b"


def test_a_call_that_does_not_fit_is_not_made() -> None:
    model = ScriptedModel(["a"])
    asked = MeteredModel(model, meter(), free, "coder")

    with pytest.raises(BudgetError):
        asked.complete((Message("user", "x"),), CompletionLimits(max_tokens=1000))
    assert model.prompts == []


def test_a_call_without_an_answer_is_not_charged() -> None:
    made = meter()
    asked = MeteredModel(ScriptedModel([ModelError("down", "start it")]), made, free, "coder")

    with pytest.raises(ModelError):
        asked.complete((Message("user", "x"),), CompletionLimits(max_tokens=10))
    assert made.spent == Usage()


@dataclass(frozen=True)
class Call:
    """One call to come: the prompt's size, the reply's limit, and what part of the reserve it will really take."""

    size: int
    limit: int
    part: float
    role: str


CALLS = st.lists(
    st.builds(Call, st.integers(0, 3000), st.integers(1, 3000), st.floats(0, 1), st.sampled_from(("coder", "critic"))),
    max_size=40,
)
PRICES = st.tuples(st.floats(0, 0.01), st.floats(0, 0.01))


def spend(calls: Sequence[Call], prices: tuple[float, float], made: Meter, excess: float = 0.0) -> list[Usage]:
    """Make every call that fits; `excess` is what a server counts beyond the estimate, as a part of it."""

    def price(prompt: int, reply: int) -> float:
        return prompt * prices[0] + reply * prices[1]

    paid = []
    for call in calls:
        prompt = (Message("user", "x" * call.size),)
        tokens = int(estimate(prompt) * call.part * (1 + excess)), int(call.limit * call.part)
        usage = Usage(*tokens, price(*tokens))
        model = ScriptedModel([Completion("", "stop", usage, "m")])
        try:
            MeteredModel(model, made, price, call.role, 0.5 if call.role == "critic" else 1.0).complete(
                prompt, CompletionLimits(max_tokens=call.limit)
            )
        except BudgetError:
            assert model.prompts == []
        else:
            paid.append(usage)
    return paid


@given(CALLS, PRICES, st.integers(0, 20_000), st.floats(0, 20))
def test_whatever_is_asked_at_whatever_price_the_limits_hold(
    calls: list[Call], prices: tuple[float, float], tokens: int, dollars: float
) -> None:
    made = meter(BudgetLimits(tokens=tokens, dollars=dollars))
    paid = spend(calls, prices, made)

    assert made.spent.tokens <= tokens
    assert made.spent.dollars <= dollars + 1e-6
    critic = made.by_role.get("critic", Usage())
    assert critic.tokens <= tokens / 2
    assert critic.dollars <= dollars / 2 + 1e-6
    assert made.spent.tokens == sum(usage.tokens for usage in paid)


@given(CALLS, PRICES, st.integers(0, 20_000), st.floats(0, 20))
def test_a_server_that_counts_more_than_was_estimated_overdraws_by_one_call_at_most(
    calls: list[Call], prices: tuple[float, float], tokens: int, dollars: float
) -> None:
    made = meter(BudgetLimits(tokens=tokens, dollars=dollars))
    paid = spend(calls, prices, made, excess=0.5)

    assert made.spent.tokens <= tokens + max((usage.tokens for usage in paid), default=0) / 3 + 1
    assert made.spent.dollars <= dollars + max((usage.dollars for usage in paid), default=0) / 3 + 1e-6


@given(CALLS, PRICES)
def test_the_same_calls_are_allowed_and_refused_again(calls: list[Call], prices: tuple[float, float]) -> None:
    one, two = meter(), meter()

    assert spend(calls, prices, one) == spend(calls, prices, two)
    assert (one.spent, one.stop) == (two.spent, two.stop)
