"""The corpus of `make edits`: a case that fails names an edit that lands in the wrong place, or none."""

import pytest
from corpus.edits.case import Case
from corpus.edits.run import cases, outcome

from bot.repair.editing.cleaning import clean
from bot.repair.editing.edits import Rung
from bot.repair.prompting.prompts import FORMATS

CASES = dict(cases())


def test_every_case_has_a_name_of_its_own_and_one_expectation() -> None:
    assert len(CASES) == len(list(cases()))
    assert all(bool(case.lands) != bool(case.refused) for case in CASES.values())


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_edit_lands_where_it_should_or_is_refused_with_a_remedy(case: Case) -> None:
    _, problem = outcome(case)
    assert not problem


def test_what_is_taken_for_the_prompts_own_example_is_what_the_prompt_says() -> None:
    example = FORMATS[Rung.SEARCH_REPLACE].format(path="a.py", name="f", function="f")
    assert "SEARCH" in example
    assert "<<<<<<<" not in clean(example)
