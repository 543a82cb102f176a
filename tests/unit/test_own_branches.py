"""Names of our own branches: made, flattened where git cannot make them, and recognised."""

import pytest

from bot.own_branches import above, flat, is_own, named


def test_a_branch_is_named_after_its_subject_and_numbered_from_the_second() -> None:
    assert named("issue-7") == "regreen/issue-7"
    assert named("check-release/1.0", 3) == "regreen/check-release/1.0-3"


def test_a_flat_name_holds_no_slash_and_is_below_nothing() -> None:
    assert flat("regreen/issue-7-2") == "regreen-issue-7-2"
    assert flat("regreen/check-release/1.0") == "regreen-check-release-1.0"
    assert above(flat("regreen/check-release/1.0")) == ()


def test_every_name_above_stands_in_the_way() -> None:
    assert above("regreen/check-release/1.0") == ("regreen", "regreen/check-release")


@pytest.mark.parametrize("subject", ["issue-7", "pull-12", "check-main", "check-release/1.0"])
@pytest.mark.parametrize("number", [1, 2, 21])
def test_what_is_made_is_recognised_flat_or_not(subject: str, number: int) -> None:
    made = named(subject, number)
    assert is_own(made)
    assert is_own(f"{made}.2")
    assert is_own(flat(made))
    assert is_own(f"{flat(made)}.2")


@pytest.mark.parametrize("branch", ["main", "", "regreen", "regreen-docs", "regreen-issue-tracker", "my/regreen/x"])
def test_other_names_are_not(branch: str) -> None:
    assert not is_own(branch)
