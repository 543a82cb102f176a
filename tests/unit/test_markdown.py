import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.pipeline.markdown import block, code, inline, marker, plain

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
    assert set(re.findall(r"<(\w+)", RENDER.render("Reason: " + inline(text)))) <= {"p"}


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
