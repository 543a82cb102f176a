"""Patches as suggestions on lines: what GitHub makes of them is the patch, or there are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pipeline.ports.checks import Suggestion
from bot.pipeline.red.suggestions import MOST, suggestions
from bot.repair.types import FileChange, Patch, SourceFile

LINE = st.sampled_from(["a", "b", "", "    c", "```", "d\t"])


def applied(old: bytes, made: tuple[Suggestion, ...]) -> bytes:
    """What the file holds once each was committed, from its end on, as lines keep their numbers then."""
    lines = old.decode().split("\n")[:-1]
    for one in sorted(made, key=lambda each: -each.start):
        assert 1 <= one.start <= one.end <= len(lines)
        lines[one.start - 1 : one.end] = one.lines
    return "".join(f"{line}\n" for line in lines).encode()


def of(old: bytes, new: bytes | None) -> tuple[Suggestion, ...]:
    return suggestions((SourceFile("a.py", old),), Patch((FileChange("a.py", new),)))


@given(st.lists(LINE, min_size=1, max_size=30), st.lists(LINE, min_size=1, max_size=30))
def test_committing_all_of_them_makes_the_patch(before: list[str], after: list[str]) -> None:
    old, new = ("".join(f"{line}\n" for line in lines).encode() for lines in (before, after))
    made = of(old, new)
    if made:
        assert applied(old, made) == new
    else:
        assert old == new or len(before) + len(after) > MOST


def test_each_stands_on_the_lines_that_it_replaces() -> None:
    old = b"1\n2\n3\n4\n5\n"
    assert of(old, b"1\ntwo\n3\n4\n5\n") == (Suggestion("a.py", 2, 2, ("two",)),)
    assert of(old, b"1\n2\n2.5\n3\n4\n5\n") == (Suggestion("a.py", 2, 2, ("2", "2.5")),)
    assert of(old, b"0\n1\n2\n3\n4\n5\n") == (Suggestion("a.py", 1, 1, ("0", "1")),)
    assert of(old, b"1\n4\n5\n") == (Suggestion("a.py", 2, 3, ()),)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"1\r\n", b"2\r\n"),
        (b"1", b"2"),
        (b"1\n", b"1\n2"),
        (b"\xff\n", b"1\n"),
        (b"1\n\0", b"2\n"),
        (b"1\n", None),
        (b"1\n", b""),
        (b"x\n" * 300_000, b"y\n" * 300_000),
    ],
)
def test_what_github_would_not_do_exactly_is_no_suggestion(old: bytes, new: bytes | None) -> None:
    assert of(old, new) == ()


def test_one_file_that_cannot_be_suggested_leaves_none() -> None:
    changes = (FileChange("a.py", b"2\n"), FileChange("new.py", b"1\n"))
    assert suggestions((SourceFile("a.py", b"1\n"),), Patch(changes)) == ()


def test_a_patch_all_over_a_file_is_too_many() -> None:
    old = b"".join(b"same\n%d\n" % number for number in range(MOST + 1))
    assert of(old, old.replace(b"\n", b"x\n")) != ()
    new = b"".join(b"same\n%d!\n" % number for number in range(MOST + 1))
    assert of(old, new) == ()
