"""What a pull request of the App's is about, whatever people did to its text."""

import pytest

from bot.own_branches import flat, named
from bot.own_pulls import is_of, mark_of, subject_of
from bot.pipeline.reports.markdown import marker

MARK = marker("subject", "issue-7")
SUBJECTS = ["issue-7", "pull-12", "check-main", "check-release/1.0"]


@pytest.mark.parametrize(
    "body",
    [
        f"{MARK}\nFixes #7",
        f"Reviewed by QA.\n\n{MARK}\nFixes #7",
        f"> note\r\n  {MARK}  \r\nmore",
        f"{MARK}\n{marker('subject', 'issue-9')}",
        f"{marker('status', 'issue-9')}\n{MARK}",
    ],
)
def test_the_marker_counts_on_whatever_line_it_stands_and_the_first_one_only(body: str) -> None:
    assert mark_of(body) == MARK
    assert subject_of(mark_of(body), "") == "issue-7"


@pytest.mark.parametrize("body", [None, "", "Fixes #7", f"`{MARK}`", f"see {MARK}", f"{MARK[:-1]}"])
def test_what_only_mentions_a_marker_is_none(body: str | None) -> None:
    assert mark_of(body) == ""


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("number", [1, 2, 21])
@pytest.mark.parametrize("again", ["", ".2"])
def test_without_a_marker_the_branch_that_we_name_tells(subject: str, number: int, again: str) -> None:
    for made in (named(subject, number) + again, flat(named(subject, number)) + again):
        assert is_of(marker("subject", subject), "", made)
        assert subject_of("", made)
        assert not is_of(marker("subject", "issue-77"), "", made)


def test_the_subject_of_an_issues_branch_has_no_number_of_its_own() -> None:
    assert [subject_of("", name) for name in ("regreen/issue-7", "regreen/issue-7-2", "regreen/pull-12-3.2")] == [
        "issue-7",
        "issue-7",
        "pull-12",
    ]
    assert subject_of("", "regreen/check-release/1.0") == "check-release/1.0"


@pytest.mark.parametrize("branch", ["", "main", "topic", "regreen/notes", "regreen/issue-x", "my/regreen/issue-7"])
def test_other_branches_tell_nothing(branch: str) -> None:
    assert subject_of("", branch) == ""
    assert not is_of(MARK, "", branch)


def test_a_marker_of_another_subject_goes_before_the_branchs_name() -> None:
    other = marker("subject", "issue-9")
    assert subject_of(other, "regreen/issue-7") == "issue-9"
    assert not is_of(MARK, other, "regreen/issue-7")
