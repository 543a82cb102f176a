"""Texts of a run on its page: said once, and what stands between backticks as code."""

import pytest
from fakes_reading import ScriptedReader, row
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bot.pipeline.logs.runlog import Entry
from bot.web.pages import words
from bot.web.pages.rendering import Rendering
from bot.web.pages.routes import page_routes
from bot.web.pages.visitor import Visitor

DETAIL = "Nothing in `a<b.py` changed"


def shown(headline: str) -> str:
    one = row(1, state="unsolved", ended_at=1_100.0, headline=headline)
    log = (Entry(0, 1.0, "stop", {"stop": "exhausted", "detail": DETAIL}),)
    rendering = Rendering("https://github.example", lambda: 1_000.0)
    routes = page_routes(ScriptedReader([one], {one.identity: log}), rendering, lambda _request: Visitor())
    return TestClient(Starlette(routes=routes)).get(words.run_path(one.identity)).text


def test_why_a_run_stopped_stands_once_with_its_code_as_code() -> None:
    code = "Nothing in <code>a&lt;b.py</code> changed"
    assert shown("No fix: exhausted").count(code) == 1
    assert code not in shown(f"No fix: {DETAIL}")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("a `b` c `<d>`", "a <code>b</code> c <code>&lt;d&gt;</code>"),
        ("an `open <one", "an `open &lt;one"),
        ("`a` `", "<code>a</code> `"),
    ],
)
def test_what_stands_between_two_backticks_is_code_and_everything_is_escaped(text: str, html: str) -> None:
    assert words.ticked(text) == html
