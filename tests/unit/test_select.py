import pytest
from fakes import patch, proposed

from bot.repair.select import among, passing
from bot.repair.types import Attempt, Comparison, Origin, Usage, Verdict

MODEL, MUTATION = Origin.MODEL, Origin.MUTATION


def attempt(
    number: int, tree: str, lines: int = 2, origin: Origin = MODEL, verdict: Verdict = Verdict.SOLVED
) -> Attempt:
    proposal = proposed(patch(calc=tree), origin=origin).proposal
    return Attempt(
        number, verdict, proposal, Comparison(), "", "", None, Usage(), 0.0, tree=tree, changed_lines=lines, round=1
    )


def numbers(*attempts: Attempt) -> list[int]:
    return [one.number for one in passing(attempts)]


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.SOLVED])
def test_whatever_breaks_or_leaves_something_is_no_candidate(verdict: Verdict) -> None:
    assert numbers(attempt(1, "a", verdict=verdict)) == []


def test_most_candidates_agreeing_come_first_whatever_the_layout() -> None:
    again = attempt(3, "b", verdict=Verdict.REPEATED)

    assert numbers(attempt(1, "a", lines=1), attempt(2, "b", lines=9), again) == [2, 1]


def test_a_model_is_believed_before_a_search_and_then_the_smaller_change() -> None:
    found = (attempt(1, "a", 1, MUTATION), attempt(2, "b", 9), attempt(3, "c", 4), attempt(4, "d", 4))

    assert numbers(*found) == [3, 4, 2, 1]


def test_a_search_and_a_model_that_agree_outvote_another_model() -> None:
    agreed = (attempt(1, "a", 1, MUTATION), attempt(2, "a", 1, verdict=Verdict.REPEATED))

    assert numbers(*agreed, attempt(3, "b", 1)) == [1, 3]


def test_it_is_said_among_how_many_and_from_where_one_was_chosen() -> None:
    found = passing((attempt(1, "a", origin=MUTATION), attempt(2, "b"), attempt(3, "c")))

    assert among(found) == (
        "; chosen from the model among 3 distinct candidates that pass (2 from the model, 1 from the mutation search)"
    )
    assert among(found[:1]) == ""
