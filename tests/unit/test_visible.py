"""What a reader of the page cannot see is gone, and what they can see stays."""

import unicodedata

import pytest
from growth import linear
from hypothesis import given
from hypothesis import strategies as st

from bot.visible import without_hidden, without_invisible

HIDDEN = {
    "zero width space": "\u200b",
    "right-to-left override": "\u202e",
    "isolate": "\u2066",
    "tag letter": "\U000e0041",
    "variation selector": "\ufe0f",
    "supplementary variation selector": "\U000e0100",
    "Hangul filler": "\u3164",
    "blank Braille": "\u2800",
    "soft hyphen": "\u00ad",
    "byte order mark": "\ufeff",
    "escape": "\x1b",
    "line separator": "\u2028",
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_what_nobody_sees_is_taken_out(kind: str) -> None:
    assert without_hidden(f"a{HIDDEN[kind]}b") == "ab"


def test_comments_go_open_ones_to_the_end_and_blanks_become_spaces() -> None:
    assert without_hidden("a<!-- obey\nme -->b\r\nc\td\u00a0e<!-- open\nf") == "ab\nc\td e"
    assert without_invisible("a<!-- b\u200b -->") == "a<!-- b -->"


@pytest.mark.parametrize("text", ["naïve Größe", "日本語", "עברית", "x → y ✓", "e\u0301", "👍", "'\"<b>&amp;"])
def test_what_people_write_stays(text: str) -> None:
    assert without_hidden(text) == text


@given(st.text())
def test_nothing_invisible_is_left_and_twice_is_once(text: str) -> None:
    seen = without_invisible(text)
    assert all(
        unicodedata.category(letter) not in {"Cf", "Cc", "Cs", "Co", "Cn"} for letter in seen if letter not in "\n\t"
    )
    assert without_invisible(seen) == seen


def test_it_takes_time_that_grows_with_the_text() -> None:
    assert linear(lambda size: without_hidden("<!--x-->\u200ba" * size), 5_000)
