"""The pages as part of the web application: all of them behind one guard."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from fastapi import FastAPI
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from bot.disconnects import disconnected
from bot.errors import RegreenError, StoreError, UnexpectedError
from bot.pipeline.ports.reading import Reader
from bot.pipeline.ports.store import Wishes
from bot.web.access import Access
from bot.web.pages.rendering import NOWHERE, Rendering
from bot.web.pages.repository import RepositoryPage
from bot.web.pages.routes import page_routes
from bot.web.security import HEADERS, POLICY, Guard
from bot.web.signing import Signing
from bot.web.wished import WishPages

ABOUT_RUNS = ("/runs/", "/repositories/")
FAULT = UnexpectedError("Something went wrong that should not", "The log of `regreen serve` says what: report it.")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Site:
    """What pages are made from. `github_url` is where people open issues; `now` gives seconds since the epoch."""

    access: Access
    reader: Reader
    wishes: Wishes
    github_url: str
    now: Callable[[], float] = time.time

    def add_to(self, app: FastAPI) -> None:
        """Add every page, and the guard before all that the application answers."""
        access, rendering = self.access, Rendering(self.github_url, self.now)
        visiting = access.visitor

        def missing(request: Request) -> Response:
            return rendering.missing(request, visiting(request), NOWHERE)

        app.router.routes += [
            *page_routes(self.reader, rendering, visiting),
            *RepositoryPage(self.reader, rendering, visiting).routes(),
            *Signing(access, rendering).routes(),
            *WishPages(access, rendering, self.reader, self.wishes, self.now).routes(),
        ]

        async def nowhere(request: Request, _error: Exception) -> Response:
            # what is not there of a run or a repository is told as what is hidden
            is_person = "text/html" in request.headers.get("accept", "") or request.scope["path"].startswith(ABOUT_RUNS)
            return missing(request) if is_person else JSONResponse({"detail": "Not Found"}, 404)

        async def failed(request: Request, error: Exception) -> Response:
            known = error if isinstance(error, RegreenError) else FAULT
            status = 503 if isinstance(error, StoreError) else 500
            _log.error("not_shown", path=request.url.path, cause=known.cause, exc_info=known is FAULT and error)
            shown = {"cause": known.cause, "remedy": known.remedy}
            return rendering.page(request, visiting(request), "failed.html", status, **shown)

        async def unexpected(request: Request, error: Exception) -> Response:
            response = await failed(request, error)
            # whoever answers what nobody expected stands before the guard
            response.headers.update(HEADERS | {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"})
            return response

        app.add_exception_handler(404, nowhere)
        app.add_exception_handler(RegreenError, failed)
        app.add_exception_handler(ClientDisconnect, disconnected)
        app.add_exception_handler(500, unexpected)
        app.add_middleware(Guard, access=access, missing=missing, failed=failed)
