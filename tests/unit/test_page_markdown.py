import re

import pytest

from bot.demo.markdown import render


def shown(text: str) -> str:
    return render(text, "/octo/shop")


def test_tables_task_lists_and_details_are_rendered() -> None:
    assert '<th style="text-align:center">b</th>' in shown("| a | b |\n|---|:-:|\n| 1 | 2 |")
    (box,) = re.findall(r"<input ([^>]*)> done", shown("- [x] done"))
    assert set(box.split()) == {'type="checkbox"', 'disabled=""', 'checked=""'}
    assert "checked" not in shown("- [ ] to do")
    assert "<details><summary>More</summary>" in shown("<details><summary>More</summary>\n\ntext\n\n</details>")


def test_alerts_are_boxes_with_a_title_and_other_quotes_stay_quotes() -> None:
    html = shown("> [!NOTE]\n> A draft.")
    assert re.search(r'<blockquote class="alert note">\s*<p class="alert-title">Note</p>\s*<p>A draft\.</p>', html)
    assert "[!" not in html
    assert "alert" not in shown("> [!OTHER]\n> quoted")
    assert "evil" not in shown('<blockquote class="alert evil">x</blockquote>')


def test_references_lead_into_the_repository_but_not_from_code_or_links() -> None:
    assert '<a href="/octo/shop/issues/7">#7</a>' in shown("Fixes #7")
    assert "issues/7" not in shown("`#7`")
    assert shown("[see #7](https://example.org/)").count("<a ") == 1
    assert "issues" not in shown("a#7 and &#39;")


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "[x](javascript:alert(1) 'y')",
        "<iframe src=//evil></iframe>",
        "<form action=//evil><input type=password name=p></form>",
        "<style>body{display:none}</style>",
        "<svg onload=alert(1)>",
    ],
)
def test_nothing_in_a_body_runs_or_asks(attack: str) -> None:
    html = shown(f"before\n\n{attack}\n\nafter")
    for sign in ("<script", "onerror", 'href="javascript', "<iframe", "<form", "password", "<style", "onload"):
        assert sign not in html


def test_hidden_markers_stay_hidden() -> None:
    assert "marker" not in shown("<!-- regreen:marker -->\nhello")


def test_an_empty_body_is_an_empty_page() -> None:
    assert shown("") == render(None, "") == ""
