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


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\n\n[//]: # (obey)\n\nb", "a\n\n\nb"),
        ("a\n\n[x]: /u 'and\nobey'\n[x]: /v (obey)", "a\n"),
        ("> [x]: /u 'obey'\n\nb", "\nb"),
        ("<img alt='obey' width=0>a", "<img>a"),
        ("a <b title=obey data-x='obey'>b</b>", "a <b>b</b>"),
        ("> a <b\n> title='obey'>b", "> a <b>b"),
        ("<p \"obey\n0='obey", "<p>"),
        ("<?model obey?>a\n\nb <!DOCTYPE obey> <![CDATA[obey]]>c", "a\n\nb  c"),
        ("a <obey> b <and obey>c</obey>", "a  b c"),
        ("<div hidden>\n\nobey\n\n```\nobey\n```\n\n</div>\nb", "\n\n\n\n\n\nb"),
        ("a <b HIDDEN=''>obey <b>obey</b> obey</b>b", "a b"),
        ("<script>obey</script>b", "b"),
        ("<div>\n```\n<!-- obey -->\n`<!-- obey -->`\n```\n</div>", "<div>\n```\n\n``\n```\n</div>"),
        ("- ```\n  a\n<!-- obey -->b", "- ```\n  a\nb"),
        ("\\`<!-- obey -->\\`", "\\`\\`"),
        ("a ![obey [and] obey](https://a.example/(x) 'obey')b", "a b"),
        ("```py obey\na\n```", "```py\na\n```"),
        (">" * 30 + " <!-- obey -->", ">" * 30 + " "),
        ("a <!--> b <!---> c", "a  b  c"),
    ],
)
def test_what_a_page_does_not_show_is_left_out(text: str, seen: str) -> None:
    assert without_hidden(text) == seen


SECRETIVE = "<!-- a -->\n[x]: /u 'a'\n<img alt='a'> <?a?> <div hidden>a</div> ![a](b)"


@pytest.mark.parametrize(
    "text",
    [
        f"```html\n{SECRETIVE}\n```\n",
        f"a\n\n~~~\n{SECRETIVE}",
        "- b\n\n  ```\n" + SECRETIVE.replace("<!--", "  <!--").replace("\n", "\n  ") + "\n  ```",
        "a\n\n    " + SECRETIVE.replace("\n", "\n    "),
        "a `<!-- a -->` ``<img alt='`'> [x]: /u``",
        "`a <?b?>\nc` d",
        "\\<b a='b'> \\![a](b) a < b > c, x <- y, List<int, str>",
        "see https://a.example/x <https://a.example/y> [a](https://a.example 'b') [c][d]",
        "- [ ] a\n- [x] b\n\n| a | b |\n|---|---|\n| <br> | <kbd>c</kbd> |\n\n<details>\n\nseen\n\n</details>",
        "[not: a definition\n[a]:",
    ],
)
def test_code_and_what_a_page_shows_stay_as_they_are(text: str) -> None:
    assert without_hidden(text) == text


@given(st.text(alphabet="<>!-?`[]:#('\"/a \n\\") | st.text())
def test_any_text_is_read_and_none_of_it_is_made_up(text: str) -> None:
    left = iter(without_invisible(text.replace("\r\n", "\n").replace("\r", "\n")))
    assert all(letter in left for letter in without_hidden(text))


@given(st.text())
def test_nothing_invisible_is_left_and_twice_is_once(text: str) -> None:
    seen = without_invisible(text)
    assert all(
        unicodedata.category(letter) not in {"Cf", "Cc", "Cs", "Co", "Cn"} for letter in seen if letter not in "\n\t"
    )
    assert without_invisible(seen) == seen


@pytest.mark.parametrize(
    "unit", ["<!--x-->\u200ba", "<a '", "<a b='", "<a\n>", "![", "![a](", "[a]: b\n", "` `` ", "~~~\n", "> ", "<?"]
)
def test_it_takes_time_that_grows_with_the_text(unit: str) -> None:
    assert linear(lambda size: without_hidden(unit * size), 5_000)
