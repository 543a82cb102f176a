"""Tests that wait for a person's word, on disk."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.reviews import FileReviews
from bot.errors import StoreError
from bot.repair.reproduction.written import WrittenTest

FIRST = WrittenTest(
    "tests/test_issue_7.py", b"def test_x():\r\n    assert '\xc3\xa9'\n", "AssertionError: x", "m", "because"
)
SECOND = replace(FIRST, content=b"def test_y(): ...\n")


def test_what_is_kept_comes_back_as_it_was_oldest_first(tmp_path: Path) -> None:
    reviews = FileReviews(tmp_path / "reviews", "o/r issue-7")
    assert reviews.kept() == ()
    assert [reviews.keep(test) for test in (SECOND, FIRST, SECOND)] == [SECOND.digest, FIRST.digest, SECOND.digest]
    assert FileReviews(tmp_path / "reviews", "o/r issue-7").kept() == (SECOND, FIRST)


def test_each_subject_has_its_own(tmp_path: Path) -> None:
    FileReviews(tmp_path, "https://github.test#1 issue-7").keep(FIRST)
    for other in ("https://github.test#1 issue-8", "https://github.test#2 issue-7"):
        assert FileReviews(tmp_path, other).kept() == ()


@pytest.mark.parametrize(
    "change", [lambda data: data.replace(b"tests/test_issue_7.py", b"tests/test_issue_8.py"), lambda data: data[:-9]]
)
def test_a_test_that_was_changed_on_disk_is_not_believed(tmp_path: Path, change: object) -> None:
    reviews = FileReviews(tmp_path, "s")
    reviews.keep(FIRST)
    (kept,) = tmp_path.glob("*/*.json")
    assert callable(change)
    kept.write_bytes(change(kept.read_bytes()))
    with pytest.raises(StoreError, match="Put the label on again"):
        reviews.kept()


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    FileReviews(tmp_path / "reviews", "s").keep(FIRST)
    (kept,) = (tmp_path / "reviews").glob("*/*.json")
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
