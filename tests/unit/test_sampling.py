from dataclasses import replace

import pytest
from fakes import patch, proposed

from bot.repair.prompting.sampling import WARM, Draw, Plan, Sampling
from bot.repair.types import Attempt, Comparison, Origin, Usage, Verdict

ALL = ("t::a", "t::b", "t::c")


def attempt(
    number: int, round_: int, verdict: Verdict = Verdict.NOT_FIXED, fixed: int = 0, reason: str = ""
) -> Attempt:
    seen = Comparison(fixed=ALL[:fixed], still_failing=ALL[fixed:])
    proposal = proposed(patch(calc=f"x = {number}")).proposal
    made = Attempt(number, verdict, proposal, seen, reason, "", None, Usage(), 0.0, tree=str(number), round=round_)
    return made if verdict is not Verdict.NOT_APPLIED else replace(made, proposal=None, comparison=Comparison())


def searched(number: int, round_: int) -> Attempt:
    return replace(attempt(number, round_), proposal=proposed(patch(calc="y"), origin=Origin.MUTATION).proposal)


GREEDY = (Draw(0.0),)


def test_the_first_answer_is_greedy_and_from_base() -> None:
    plan = Sampling().plan(())

    assert plan == Plan(GREEDY, greedy=True)


@pytest.mark.parametrize("samples", [2, 3, 4])
def test_what_came_no_closer_is_followed_by_diverse_candidates_from_base_with_seeds_of_their_own(samples: int) -> None:
    plan = Sampling(samples).plan((attempt(1, 1),))

    assert plan == Plan(tuple(Draw(WARM, seed) for seed in range(2, 2 + samples)))
    assert not plan.greedy


def test_no_two_rounds_share_a_seed() -> None:
    history = (attempt(1, 1), *(attempt(number, 2) for number in (2, 3, 4)))
    first, second = Sampling().plan(history[:1]), Sampling().plan(history)

    seeds = [draw.seed for plan in (first, second) for draw in plan.draws]
    assert len(set(seeds)) == len(seeds)


def test_the_closest_is_gone_on_from_greedily_while_fewer_tests_fail() -> None:
    closest = attempt(3, 2, Verdict.PARTIAL, 2)
    history = (attempt(1, 1), attempt(2, 2, Verdict.PARTIAL, 1), closest, attempt(4, 2))

    assert Sampling().plan(history) == Plan(GREEDY, closest, greedy=True)


def test_what_refining_brought_no_closer_is_left_for_base() -> None:
    history = (attempt(1, 1, Verdict.PARTIAL, 1), attempt(2, 2, Verdict.PARTIAL, 1))

    assert Sampling().plan(history[:1]).parent is history[0]
    assert Sampling().plan(history).parent is None


def test_breaking_as_much_as_was_fixed_is_no_closer() -> None:
    even = replace(attempt(1, 1, Verdict.REGRESSED, 1), comparison=Comparison(fixed=ALL[:1], regressed=("t::x",)))
    less = replace(even, comparison=Comparison(fixed=ALL[:2], regressed=("t::x",)))

    assert Sampling().plan((even,)).parent is None
    assert Sampling().plan((less,)).parent is less


def test_a_model_that_does_not_refine_is_sampled_afresh_however_close_it_came() -> None:
    assert Sampling(4, refine=False).plan((attempt(1, 1, Verdict.PARTIAL, 2),)) == Plan(
        tuple(Draw(WARM, seed) for seed in (2, 3, 4, 5))
    )


def test_without_samples_the_last_attempt_is_gone_on_from_always() -> None:
    last = attempt(1, 1)

    assert Sampling(0).plan((last,)) == Plan(GREEDY, last)
    assert Sampling(0, refine=False).plan((last,)) == Plan((Draw(WARM, 2),))


@pytest.mark.parametrize("verdict", [Verdict.NOT_APPLIED, Verdict.REFUSED])
def test_what_could_not_be_used_is_asked_for_again_with_the_reason_and_warm_when_that_repeats(verdict: Verdict) -> None:
    first, second = attempt(1, 1, verdict, reason="no edit"), attempt(2, 2, verdict, reason="no edit")

    assert Sampling().plan((first,)) == Plan(GREEDY, first, greedy=True)
    assert Sampling().plan((first, second)) == Plan((Draw(WARM, 3),), second)
    assert Sampling().plan((first, replace(second, reason="another"))).draws == GREEDY


def test_one_usable_answer_among_others_makes_a_round_usable() -> None:
    assert Sampling().plan((attempt(1, 1, Verdict.NOT_APPLIED), attempt(2, 1))).parent is None


def test_a_veto_goes_back_to_its_author_as_something_to_go_on_from() -> None:
    vetoed = attempt(1, 1, Verdict.REJECTED, 3)

    assert Sampling().plan((vetoed,)).parent is vetoed


def test_what_a_search_tried_is_none_of_the_models_attempts() -> None:
    history = (searched(1, 1), searched(2, 1))

    assert Sampling().plan(history) == Plan(GREEDY, greedy=True)
    mine = attempt(3, 2, Verdict.PARTIAL, 1)
    assert Sampling().plan((*history, mine)).ordered((*history, mine)) == (mine,)


def test_the_attempt_that_is_gone_on_from_is_told_last() -> None:
    history = (attempt(1, 1), attempt(2, 2, Verdict.PARTIAL, 1), attempt(3, 2))
    plan = Sampling().plan(history)

    assert [one.number for one in plan.ordered(history)] == [1, 3, 2]


def test_a_warmth_that_was_decided_is_never_lowered() -> None:
    assert Sampling(first=1.2).plan(()).draws == (Draw(1.2),)
    assert {draw.temperature for draw in Sampling(first=1.2).plan((attempt(1, 1),)).draws} == {1.2}
