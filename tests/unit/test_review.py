"""A written test as people see it."""

from dataclasses import replace

from bot.pipeline.admission import Refusal
from bot.pipeline.reports import review
from bot.repair.reproduction.reproduce import Reproduction, Shown
from bot.repair.reproduction.written import MAX_CHARACTERS, WrittenTest
from sandbox.spec import Outcome, TestResult

TEST = WrittenTest("tests/test_issue_7.py", b"def test_x():\n    assert 1 == 2\n", "AssertionError: assert 1 == 2", "m")
FOUND = Reproduction(TEST, Shown("", (TestResult("tests/test_issue_7.py::test_x", Outcome.FAILED),), (), 3))


def test_the_longest_test_is_shown_to_its_last_character() -> None:
    longest = replace(TEST, content=b"x" * (MAX_CHARACTERS - 1) + b"y")
    assert f"xy\n```\n\nTo approve it, by a new comment:\n\n```\n/regreen approve {longest.short}\n```" in review.shown(
        longest
    )
    assert len(review.waiting((longest,) * 9)) < 65_536


def test_what_a_model_says_is_shown_as_text() -> None:
    evil = replace(
        TEST,
        content=b"def test_x():\n    assert '```' == '@all'\n",
        prediction="AssertionError: `@all` <b>",
        author="m <img>",
        cause="[x](https://evil.test) @all #1",
    )
    text = review.for_review(FOUND, evil)
    assert "````python\n" in text
    assert "<img>" not in text
    assert "``AssertionError: `@all` <b>``" in text
    assert "[x](" not in text


def test_digits_choose_among_what_was_shown() -> None:
    other = replace(TEST, content=b"other")
    assert review.resolve("", (TEST,)) == TEST
    assert review.resolve(TEST.short, (TEST, other)) == TEST
    for digits, kept in (("", ()), ("", (TEST, other)), ("0" * 12, (TEST,))):
        assert isinstance(review.resolve(digits, kept), Refusal)


def test_the_report_says_who_wrote_it_and_who_approved_it() -> None:
    assert "Nobody has reviewed it yet" in review.about(FOUND, TEST, published=True)
    assert "Approved by `mona`" in review.about(FOUND, TEST, review.Told(approved_by="mona"), published=True)
    assert "assert 1 == 2\n```" in review.about(FOUND, TEST, published=False)
