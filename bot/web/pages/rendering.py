"""Templates → responses. Everything that a template is given is escaped; none holds code, styles or handlers inline."""

import time
from collections.abc import Callable
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bot.pipeline.intake.answers import standing
from bot.web.pages import drawing, words
from bot.web.pages.visitor import Visitor

STATIC = {
    "regreen.css": "text/css",
    "htmx.min.js": "text/javascript",
    "htmx.LICENSE": "text/plain",
    "sse.min.js": "text/javascript",
    "sse.LICENSE": "text/plain",
}
KEPT = "public, max-age=3600"
NOWHERE = "There is no such page, run or file, or only operators see it."
"""Said alike of what is hidden and of what is not there: nobody is to tell one from the other."""


class Rendering:
    """The templates below `bot/web/templates`, with the words that they use."""

    def __init__(self, github_url: str = "", now: Callable[[], float] = time.time) -> None:
        """Load the templates."""
        self.now = now
        loader = PackageLoader("bot.web", "templates")
        self._templates = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        said = (words.duration, words.dollars, words.count, words.moment, words.stamp, words.state, words.verdict)
        links = (standing, words.ticked, words.run_path, words.repository_path, words.web_link)
        drawn = (drawing.diff_lines, drawing.letters, drawing.cell, drawing.mark, drawing.meaning, drawing.unchanged)
        self._templates.filters |= {each.__name__: each for each in (*said, *links, *drawn)}
        self._templates.filters["ago"] = lambda at: words.ago(at, now())
        self._templates.filters["subject_link"] = lambda one: words.subject_link(
            github_url, one.repository, one.subject
        )

    def text(self, template: str, **context: Any) -> str:
        """A template's text."""
        return self._templates.get_template(template).render(context)

    def page(
        self, request: Request, visitor: Visitor, template: str, status: int = 200, **context: Any
    ) -> HTMLResponse:
        """A whole page: `base.html` needs the visitor and where the page is."""
        return HTMLResponse(self.text(template, visitor=visitor, here=request.url.path, **context), status)

    def missing(self, request: Request, visitor: Visitor, what: str) -> HTMLResponse:
        """A page that says what there is not, be it that it is hidden."""
        return self.page(request, visitor, "missing.html", 404, what=what)


def static_routes() -> list[BaseRoute]:
    """`/static/…`: the style sheet, htmx and its extension for server-sent events."""
    return [Route("/static/{name}", _static)]


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("Not found", 404)
    content = resources.files("bot.web").joinpath("static", name).read_bytes()
    return Response(content, media_type=STATIC[name], headers={"Cache-Control": KEPT})
