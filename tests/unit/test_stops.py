from dataclasses import replace

import pytest
from fakes import patch, proposed

from bot.repair.stops import earlier, stop_after
from bot.repair.types import Attempt, Comparison, Origin, StopReason, Usage, Verdict

ALL = ("t::a", "t::b", "t::c")


def attempt(number: int, round_: int, verdict: Verdict = Verdict.NOT_FIXED, fixed: int = 0) -> Attempt:
    seen = Comparison(fixed=ALL[:fixed], still_failing=ALL[fixed:])
    return Attempt(
        number, verdict, proposed(patch(calc=f"x = {number}")).proposal, seen, "why", f"{number} is {verdict}", None,
        Usage(), 0.0, tree=str(number), round=round_,
    )  # fmt: skip


def fresh(round_: int, **more: int) -> tuple[Attempt, ...]:
    """A round of three that fail in ways of their own."""
    return tuple(replace(attempt(10 * round_ + at, round_, **more), failure="abc"[at] * round_) for at in range(3))


def reason(*attempts: Attempt, patience: int = 2) -> StopReason | None:
    stop = stop_after(attempts, patience)
    return stop[0] if stop else None


def test_two_rounds_of_fresh_candidates_that_come_no_closer_end_the_asking() -> None:
    first = attempt(1, 1)

    assert reason(first, *fresh(2)) is None
    assert reason(first, *fresh(2), *fresh(3)) is StopReason.NO_SHRINK
    assert reason(first, *fresh(2), *fresh(3), patience=3) is None


def test_a_round_that_came_closer_starts_the_count_anew() -> None:
    closer = fresh(2, fixed=1)

    assert reason(attempt(1, 1), *closer, *fresh(3)) is None
    assert reason(attempt(1, 1), *closer, *fresh(3), *fresh(4)) is StopReason.NO_SHRINK


def test_going_on_from_an_attempt_is_no_round_of_fresh_candidates() -> None:
    assert reason(attempt(1, 1), *fresh(2), attempt(30, 3), *fresh(4)) is None


def test_a_round_in_which_all_is_old_code_ends_the_asking() -> None:
    old = [attempt(number, 2, Verdict.REPEATED) for number in (2, 3)]
    same = [replace(one, tree="1") for one in old]

    assert reason(attempt(1, 1), *same) is StopReason.IDENTICAL_CODE
    assert reason(replace(attempt(0, 0), tree="0"), attempt(1, 1), *(replace(one, tree="0") for one in old)) is (
        StopReason.CYCLE
    )
    assert reason(attempt(1, 1), same[0], attempt(3, 2)) is None


def test_a_greedy_answer_that_repeats_itself_ends_nothing_since_there_are_others_to_be_had() -> None:
    again = replace(attempt(2, 2, Verdict.REPEATED), tree="1")

    assert reason(attempt(1, 1), replace(again, greedy=True)) is None
    assert reason(attempt(1, 1), again) is StopReason.IDENTICAL_CODE


def test_siblings_that_fail_alike_are_one_failure_of_their_round() -> None:
    alike = tuple(replace(one, failure="same 1") for one in (*fresh(1), *fresh(2), *fresh(3)))

    assert reason(*alike[:3]) is None
    assert reason(*alike[:6], patience=3) is None
    assert reason(*alike) is StopReason.SAME_FAILURE


def test_three_rounds_without_a_usable_reply_end_the_asking_however_many_replies_there_were() -> None:
    unusable = [replace(attempt(number, number // 3 + 1, Verdict.NOT_APPLIED), proposal=None) for number in range(9)]

    assert reason(*unusable[:6]) is None
    assert reason(*unusable) is StopReason.FORMAT_ERRORS


@pytest.mark.parametrize("verdict", [Verdict.NOT_FIXED, Verdict.REPEATED, Verdict.REGRESSED])
def test_a_search_is_never_stuck(verdict: Verdict) -> None:
    proposal = proposed(patch(calc="x"), origin=Origin.MUTATION).proposal
    found = [replace(attempt(1, number, verdict), proposal=proposal) for number in range(1, 9)]

    assert reason(*found) is None


def test_code_whose_run_could_not_be_believed_may_be_judged_again() -> None:
    (first,) = (replace(attempt(1, 1, Verdict.INVALID_RUN), tree="a"),)
    assert earlier([first], "a") is None
    judged = replace(attempt(2, 2), tree="a")
    assert earlier([first, judged], "a") == judged
