"""Cancel and retry: what an operator's button asks for, and what came of it. A worker does it, this only notes it."""

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.pipeline.intake.answers import standing
from bot.pipeline.ports.reading import Reader
from bot.pipeline.ports.store import Asked, Wishes
from bot.web import forms
from bot.web.access import Access
from bot.web.pages.rendering import Rendering
from bot.web.pages.visitor import Visitor

BY = "an operator, on the pages"
NOT_YOURS = "Sign in as an operator to cancel or retry runs."


class WishPages:
    """`POST /wishes` with `identity`, `what` and `csrf`; `/wishes/NUMBER` says how it stands."""

    def __init__(
        self, access: Access, rendering: Rendering, reader: Reader, wishes: Wishes, now: Callable[[], float]
    ) -> None:
        """Keep the parts; `now` gives seconds since the epoch."""
        self._access = access
        self._rendering = rendering
        self._reader = reader
        self._wishes = wishes
        self._now = now

    def routes(self) -> list[BaseRoute]:
        """Both; a wish's page asks for itself again while it is open."""
        return [
            Route("/wishes", self._ask, methods=["POST"]),
            Route("/wishes/{number:int}", self._show, methods=["GET"]),
        ]

    async def _ask(self, request: Request) -> Response:
        said, session = await forms.fields(request), self._access.session(request)
        visitor = self._access.visitor(request)
        sessions = self._access.sessions
        if session is None or sessions is None or not sessions.is_form_token(session, said.get("csrf", "")):
            return self._rendering.page(request, visitor, "refused.html", 403, what=NOT_YOURS)
        return await run_in_threadpool(self._note, request, visitor, said)

    def _note(self, request: Request, visitor: Visitor, said: dict[str, str]) -> Response:
        identity, what = said.get("identity", ""), said.get("what", "")
        run = self._reader.run(identity)
        if what not in set(Asked) or run is None:
            return self._rendering.missing(request, visitor, "There is no such run.")
        if what == Asked.RETRY and run.in_the_way is not None:
            return self._rendering.page(request, visitor, "refused.html", 409, what=standing(run.in_the_way))
        number = self._wishes.ask(identity, Asked(what), BY, self._now())
        return RedirectResponse(f"/wishes/{number}", 303)

    async def _show(self, request: Request) -> Response:
        return await run_in_threadpool(self._page, request, self._access.visitor(request))

    def _page(self, request: Request, visitor: Visitor) -> Response:
        wish = self._wishes.wish(request.path_params["number"]) if visitor.may_act else None
        if wish is None:
            return self._rendering.missing(request, visitor, "Nothing of this number was asked for.")
        # a retry's run is named like its wish
        again = f"{wish.identity.rpartition(':')[0]}:wish-{wish.number}"
        begun = self._reader.run(again) if wish.done_at is not None and wish.what is Asked.RETRY else None
        run = self._reader.run(wish.identity)
        return self._rendering.page(request, visitor, "wish.html", wish=wish, run=run, begun=begun)
