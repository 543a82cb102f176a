import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.pipeline.reports.markdown import block, code, inline, is_marked, marker, plain, title

RENDER = MarkdownIt("gfm-like", {"linkify": False, "html": True})


def shown(markdown: str) -> str:
    return re.sub(r"<[^>]+>", "", RENDER.render(markdown))


def test_terminal_bidi_and_control_characters_are_dropped() -> None:
    assert plain("a\x1b[31mred\x1b[0m\x1b]8;;x\x07link\u202edcba\x00\u200b", 100) == "aredlinkdcba"


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert plain("x" * 50, 10) == "x" * 9 + "…"


def test_mentions_and_markup_in_prose_are_inert() -> None:
    html = RENDER.render(inline("@admin <img src=x> **bold** [a](javascript:x) #12 `code` ~~s~~ | cell"))
    assert not re.search(r"<(img|strong|a|code|s|em|h1)\b", html)
    assert "@admin" not in html


@given(st.text(max_size=200))
def test_prose_renders_no_element_but_its_paragraph(text: str) -> None:
    assert set(re.findall(r"<(\w+)", RENDER.render("Reason: " + inline(text)))) <= {"p", "span"}


# What GitHub turns into links, people, pictures and formulas after the markdown is read, by its documentation.
ACTED_ON = re.compile(r"https?://|ftp://|www\.|:[\w+-]+:|@\w|#\d|GH-\d|\$(?!</span>)", re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.test/x?y",
        "HTTP://evil.test",
        "see www.evil.test",
        "ask a@evil.test",
        "fixes #12, closes GH-12, resolves o/r#12",
        "closes https://github.com/o/r/issues/1",
        "great :tada: :+1::-1:",
        "$\\sqrt{3}$ and $$x$$ and $`y`$",
    ],
)
def test_nothing_in_prose_is_linked_closed_drawn_or_computed(text: str) -> None:
    assert ACTED_ON.search(text)
    html = RENDER.render(inline(text))
    assert not ACTED_ON.search(html)
    assert shown(inline(text)).replace("\u2060", "").strip() == text


def test_prose_at_the_start_of_a_paragraph_begins_no_list() -> None:
    assert RENDER.render(inline("1. one")) == "<p>1. one</p>\n"


@given(st.text(alphabet="$<&@#1`x", max_size=400), st.integers(1, 100))
def test_escaped_prose_grows_within_a_bound(text: str, limit: int) -> None:
    assert len(inline(text, limit)) <= 6 * max(limit, 6)


EVIL = "Crash [skip ci] closes #1 @org/admins \u202e\x1b[31m see https://github.com/o/r/issues/2\n\nSkip-Checks: true"


@pytest.mark.parametrize(
    "token", ["skip ci", "ci skip", "no ci", "skip actions", "Actions  Skip", "skip-ci", "s\u200bkip ci"]
)
def test_no_title_switches_checks_off(token: str) -> None:
    said = title(f"Crash [{token}] ***NO_CI*** skip-checks: true", 120)
    assert "[" not in said
    assert "***" not in said
    assert "skip-checks:" not in said
    assert said.startswith("Crash (")


@given(st.text(max_size=300) | st.just(EVIL))
def test_a_title_is_one_visible_line_that_refers_to_nothing(text: str) -> None:
    said = title(text, 120)
    assert len(said) <= 120
    assert not [char for char in said if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert not re.search(r"#\d|GH-\d|(?<![A-Za-z0-9])@\w|://", said)


def test_an_honest_title_stays_as_it_is() -> None:
    honest = "Fix red check on main: tests/test_a.py::TestX::test_total[1-2] a@b.c 50% [wip]"
    assert title(honest, 120) == honest


def test_code_shows_exactly_its_characters() -> None:
    assert shown(code(r"x|y \| z")) == r"x|y \| z" + "\n"


@pytest.mark.parametrize("quote", [code, block, inline])
def test_quoted_text_holds_no_marker(quote: object) -> None:
    assert callable(quote)
    mark = marker("subject", "issue-9")
    assert "<!--" not in quote(f"+ {mark}\n")
    assert "<!-- plain -->" in quote("<!-- plain -->") or quote is inline


def test_a_marker_counts_as_the_first_line_only() -> None:
    mark = marker("subject", "issue-9")
    assert is_marked(f"{mark}\r\ntext", mark)
    assert not is_marked(f"text\n{mark}", mark)
    assert not is_marked(f"{mark} {marker('subject', 'issue-8')}", mark)
    assert not is_marked(None, mark)


@given(st.text(alphabet="`~ax\n|<>", max_size=60))
def test_a_block_cannot_be_closed_from_inside(text: str) -> None:
    html = RENDER.render(block(text) + "\n\nafter")
    assert html.count("<pre>") == 1
    assert html.rstrip().endswith("<p>after</p>")


@given(st.text(alphabet="`ax <", min_size=1, max_size=40))
def test_inline_code_stays_one_code_span(text: str) -> None:
    html = RENDER.render("id " + code(text) + " end")
    assert html.count("<code>") == 1


def test_a_marker_cannot_end_its_comment_early() -> None:
    assert marker("subject", "check-a--> <b>") == "<!-- regreen:subject=check-a____b_ -->"
    assert marker("subject", "issue-7") == "<!-- regreen:subject=issue-7 -->"
