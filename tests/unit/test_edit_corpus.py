"""The corpus of `make edits`: a case that fails names an edit that lands in the wrong place, or none."""

import pytest
from corpus.edits.case import Case
from corpus.edits.run import cases, outcome

CASES = dict(cases())


def test_every_case_has_a_name_of_its_own_and_one_expectation() -> None:
    assert len(CASES) == len(list(cases()))
    assert all(bool(case.lands) != bool(case.refused) for case in CASES.values())


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_edit_lands_where_it_should_or_is_refused_with_a_remedy(case: Case) -> None:
    _, problem = outcome(case)
    assert not problem
