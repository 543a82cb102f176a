"""The list of runs, newest first, with filters and pages."""

from dataclasses import replace
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.jobs import State
from bot.pipeline.ports.reading import OPEN, Filter, Reader
from bot.web.pages import words
from bot.web.pages.rendering import Rendering
from bot.web.pages.visitor import Visiting, Visitor

MOST_TEXT = 200
MOST_REPOSITORIES = 200
PAGE = 50
CHOICES = tuple((name, words.STATES[name][0]) for name in (OPEN, *State))


class RunsPage:
    """`/runs`; a form without a script filters it, htmx does so while somebody types."""

    def __init__(self, reader: Reader, rendering: Rendering, visiting: Visiting) -> None:
        """Keep the parts."""
        self._reader = reader
        self._rendering = rendering
        self._visiting = visiting

    def routes(self) -> list[BaseRoute]:
        """`/` leads there."""
        return [Route("/", _home), Route("/runs", self._show)]

    async def _show(self, request: Request) -> Response:
        return await run_in_threadpool(self._page, request, self._visiting(request))

    def _page(self, request: Request, visitor: Visitor) -> Response:
        wanted = asked(request.query_params, visitor)
        # one more than is shown says whether there is another page
        found = self._reader.runs(replace(wanted, limit=PAGE + 1))
        rows = found[:PAGE]
        older = ""
        if len(found) > PAGE:
            older = "/runs?" + urlencode(_plain(wanted) | {"before": rows[-1].sequence})
        known = [name for name in self._reader.repositories(MOST_REPOSITORIES, visitor.hidden) if visitor.sees(name)]
        return self._rendering.page(
            request,
            visitor,
            "runs.html",
            rows=rows,
            wanted=wanted,
            choices=CHOICES,
            repositories=known,
            older=older,
            again="/runs?" + urlencode(_plain(wanted) | ({"before": wanted.before} if wanted.before else {})),
            filtered=bool(_plain(wanted)),
            running=any(row.ended_at is None for row in rows),
        )


def asked(query: QueryParams, visitor: Visitor) -> Filter:
    """The filter that a query means: what it cannot mean is left out."""
    fields = {name: query.get(name, "").strip()[:MOST_TEXT] for name in ("repository", "subject", "text")}
    state = query.get("state", "")
    before = query.get("before", "")
    return Filter(
        **fields,
        state=state if state in {OPEN, *State} else "",
        hidden=visitor.hidden,
        before=int(before) if before.isascii() and before.isdecimal() and len(before) < 19 else None,  # noqa: PLR2004 - digits of what a database takes
        limit=PAGE,
    )


def _plain(wanted: Filter) -> dict[str, str | int]:
    """A filter as a query."""
    fields = {name: getattr(wanted, name) for name in ("repository", "state", "subject", "text")}
    return {name: value for name, value in fields.items() if value}


async def _home(_request: Request) -> Response:
    return RedirectResponse("/runs", 303)
