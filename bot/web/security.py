"""What stands before every page: the headers of its answer, the host that was asked for, and whether to let in."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.errors import StoreError
from bot.web.access import COOKIE, Access, TooOftenError
from bot.web.sessions import Session, Sessions

MACHINES = frozenset({"/webhook", "/healthz", "/readyz"})
"""What is no page: signed by GitHub, or without a word about anybody."""
METRICS, SIGN_IN, SIGN_OUT, STATIC, EVENTS = "/metrics", "/sign-in", "/sign-out", "/static/", "/events"
READING = frozenset({"GET", "HEAD"})
LOOK_SECONDS = 5.0
"""How often a stream of an operator's looks whether the session has ended."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
DOWNLOAD_POLICY = "default-src 'none'; sandbox"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # not no-referrer, with which browsers send forms without their origin
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
CLOSED = "The pages are closed here. Set REGREEN_OPERATOR_TOKEN, and sign in with it.\n"
ELSEWHERE = (
    "Nothing answers to this name here. Set REGREEN_PUBLIC_URL to the address that people reach this server by.\n"
)
NOT_OURS = "This was not sent by a page of this server. Go back, load the page again, and try again.\n"
NOTHING = "There is no such page.\n"
NO_METRICS = "Metrics are closed here: send `Authorization: Bearer` with the operator's token.\n"


@dataclass(frozen=True, slots=True)
class Guard:
    """The middleware. `missing` is the page for what is not there, be it that it is hidden; `failed` is a fault's."""

    app: ASGIApp
    access: Access
    missing: Callable[[Request], Response]
    failed: Callable[[Request, Exception], Awaitable[Response]]
    look_seconds: float = LOOK_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is not let in, and hand on the rest."""
        if scope["type"] != "http" or scope["path"] in MACHINES:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        refusal = await self._without_session(request) or self._refusal(request)
        if refusal is None:
            await self.app(scope, self._while_signed_in(request, receive), _with_headers(send))
        else:
            await refusal(scope, receive, _with_headers(send))

    async def _without_session(self, request: Request) -> Response | None:
        """Find the session, out of the way of other requests; what keeps it from being found is the answer."""
        if COOKIE in request.cookies and not request.scope["path"].startswith(STATIC):
            try:
                await run_in_threadpool(self.access.look_up, request)
            except StoreError as error:
                return await self.failed(request, error)
        return None

    def _refusal(self, request: Request) -> Response | None:
        # not the URL's path, which a question mark in a name would end
        path, access = request.scope["path"], self.access
        if not access.answers_to(request.headers.get("host", "")):
            return PlainTextResponse(ELSEWHERE, 421)
        if request.method not in READING and not access.is_own(request):
            return PlainTextResponse(NOT_OURS, 403)
        if path.startswith(STATIC) or (path in {SIGN_IN, SIGN_OUT} and access.sessions):
            return None
        if path == METRICS:
            return None if self._may_measure(request) else PlainTextResponse(NO_METRICS, 401, _ASK)
        if not access.is_open(request):
            return self._closed(request)
        # what is not asked for by a reading method is answered alike by every route there is
        hidden = request.method in READING and access.is_hidden(path, request)
        return self.missing(request) if hidden else None

    def _closed(self, request: Request) -> Response:
        if self.access.sessions is None:
            return PlainTextResponse(CLOSED, 403)
        if "text/html" not in request.headers.get("accept", "") or request.method not in READING:
            return PlainTextResponse(CLOSED, 401)
        asked = (request.scope["raw_path"] + b"?" + request.scope["query_string"]).decode("ascii", "replace")
        return RedirectResponse(f"{SIGN_IN}?{urlencode({'next': asked.removesuffix('?')})}", 303)

    def _may_measure(self, request: Request) -> bool:
        if self.access.is_open(request):
            return True
        scheme, _, said = request.headers.get("authorization", "").partition(" ")
        try:
            return scheme.lower() == "bearer" and self.access.measures(request, said)
        except TooOftenError:
            return False

    def _while_signed_in(self, request: Request, receive: Receive) -> Receive:
        """What a stream of events hears: that its client is gone, once the session has ended that it was begun in."""
        sessions, session = self.access.sessions, self.access.session(request)
        if sessions is None or session is None or not request.scope["path"].endswith(EVENTS):
            return receive

        async def listen() -> Message:
            while await run_in_threadpool(_lasts, sessions, session):
                waiting: Awaitable[Message] = receive()
                try:
                    return await asyncio.wait_for(waiting, self.look_seconds)
                except TimeoutError:
                    continue
            return {"type": "http.disconnect"}

        return listen


def _lasts(sessions: Sessions, session: Session) -> bool:
    try:
        return sessions.lasts(session)
    except StoreError:
        # whoever it is comes again, and is told then
        return False


_ASK = {"WWW-Authenticate": "Bearer"}


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            download = headers.get("content-disposition", "").startswith("attachment")
            headers["Content-Security-Policy"] = DOWNLOAD_POLICY if download else POLICY
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending
