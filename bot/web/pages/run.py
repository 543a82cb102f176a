"""One run's page, what follows it live, the outputs behind its folds, and what can be downloaded of it."""

from collections.abc import Iterator
from itertools import chain

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from bot.errors import RegreenError
from bot.pipeline.ports.reading import Reader, RunRow
from bot.pipeline.reading import read
from bot.pipeline.reading.artifacts import LOG
from bot.pipeline.reading.lines import ChangedLogError
from bot.web.pages.live import Live
from bot.web.pages.rendering import NOWHERE, Rendering
from bot.web.pages.sections import MOST_ATTEMPTS, Sections
from bot.web.pages.threads import Threads
from bot.web.pages.visitor import Visiting, Visitor

MOST_SHOWN = 50_000
"""Characters of an output's end that are shown in the page."""
TYPES = {"json": "application/json", "csv": "text/csv"}
MOST_AT_ONCE = 2
"""Runs' pages and files that are made at once."""


class RunPage:
    """`/runs/{id}`; an id has slashes, so what comes behind it is told by its last part."""

    def __init__(self, reader: Reader, rendering: Rendering, visiting: Visiting, live: Live) -> None:
        """Keep the parts."""
        self._reader = reader
        self._rendering = rendering
        self._visiting = visiting
        self._live = live
        self._threads = Threads(MOST_AT_ONCE)

    def routes(self) -> list[BaseRoute]:
        """The longer ones first."""
        return [
            Route("/runs/{identity:path}/events", self._follow),
            Route("/runs/{identity:path}/files/{name}", self._file),
            Route("/runs/{identity:path}/output/{name}", self._output),
            Route("/runs/{identity:path}", self._show),
        ]

    async def _show(self, request: Request) -> Response:
        return await self._threads.run(self._page, request, self._visiting(request))

    def _page(self, request: Request, visitor: Visitor) -> Response:
        row = self._found(request, visitor)
        if row is None:
            return self._rendering.missing(request, visitor, NOWHERE)
        damage = ""
        try:
            entries = self._reader.entries(row.identity, -1)
        except RegreenError as error:
            entries, damage = error.sound if isinstance(error, ChangedLogError) else (), str(error)
        run = read(entries)
        return self._rendering.page(
            request,
            visitor,
            "run.html",
            row=row,
            run=run,
            damage=damage,
            sections=Sections(self._rendering, visitor).all(row, run),
            numbers=[one.number for one in run.attempts[:MOST_ATTEMPTS]],
            more=max(len(run.attempts) - MOST_ATTEMPTS, 0),
        )

    async def _follow(self, request: Request) -> Response:
        visitor = self._visiting(request)
        row = await run_in_threadpool(self._found, request, visitor)
        if row is None:
            return self._rendering.missing(request, visitor, NOWHERE)
        return self._live.follow(request, visitor, row)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        found: bytes | Iterator[bytes] | None
        if name == LOG:
            found = await self._threads.run(self._log, request)
        else:
            found = await self._threads.run(self._content, request)
        if found is None:
            return self._rendering.missing(request, self._visiting(request), NOWHERE)
        kind = TYPES.get(name.rpartition(".")[2], "text/plain")
        # only names that the run offers come here, and those hold nothing that a header cannot
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
        if isinstance(found, bytes):
            return Response(found, media_type=kind, headers=headers)
        return StreamingResponse(found, media_type=kind, headers=headers)

    async def _output(self, request: Request) -> Response:
        found = await self._threads.run(self._content, request)
        if found is None:
            return self._rendering.missing(request, self._visiting(request), NOWHERE)
        text = found.decode(errors="replace")
        cut = max(len(text) - MOST_SHOWN, 0)
        return Response(self._rendering.text("run/output.html", text=text[cut:], cut=cut), media_type="text/html")

    def _log(self, request: Request) -> Iterator[bytes] | None:
        row = self._found(request, self._visiting(request))
        pieces = iter(()) if row is None else self._reader.log(row.identity)
        # what is wrong with it shows before the answer begins
        first = next(pieces, b"")
        return chain([first], pieces) if first else None

    def _content(self, request: Request) -> bytes | None:
        row = self._found(request, self._visiting(request))
        return None if row is None else self._reader.artifact(row.identity, request.path_params["name"])

    def _found(self, request: Request, visitor: Visitor) -> RunRow | None:
        """The run that is asked for, unless its repository is hidden: then there is none."""
        row = self._reader.run(request.path_params["identity"])
        return row if row is not None and visitor.sees(row.repository) else None
