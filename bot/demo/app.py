"""The stand-in's web application: REST below /api/v3, git and pages below /, with faults and the request log around."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.requests import Request as WebRequest
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.demo.faults import Effect, Fault
from bot.demo.records import RequestEntry
from bot.demo.refusal import DOCS
from bot.demo.rest import Request, Rest
from bot.demo.spec import Description
from bot.demo.state import State
from bot.disconnects import disconnected

API = "/api/v3"
LARGEST_BODY = 64 * 1024 * 1024
HOURLY = 5000
TOO_MANY = 429
Drop = Callable[[tuple[str, int]], None]


def build(state: State, description: Description, routes: Sequence[BaseRoute], drop: Drop) -> ASGIApp:
    """The application; `routes` are those of git and pages, `drop` cuts the connection of a client address."""
    rest = Rest(state, description)

    async def endpoint(web: WebRequest) -> Response:
        content = await web.body()
        if len(content) > LARGEST_BODY:
            return PlainTextResponse("too large", 413)
        request = Request(
            method=web.method,
            path=web.scope["raw_path"].decode("ascii").removeprefix(API),
            query=web.url.query,
            authorization=web.headers.get("authorization", ""),
            accept=web.headers.get("accept", ""),
            content=content,
        )
        reply, operation = await run_in_threadpool(rest.answer, request)
        web.scope["operation"] = operation
        body = reply.raw if reply.raw is not None else b"" if reply.body is None else json.dumps(reply.body).encode()
        headers = dict(reply.headers) | _rate_headers(state)
        return Response(body, reply.status, headers, media_type=reply.media_type if body else None)

    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    answering = [Route(f"{API}/{{path:path}}", endpoint, methods=methods), *routes]
    starlette = Starlette(routes=answering, exception_handlers={ClientDisconnect: disconnected})
    return FaultLayer(starlette, state, drop)


class FaultLayer:
    """Around everything: strikes with the ordered faults and writes the request log."""

    def __init__(self, application: ASGIApp, state: State, drop: Drop) -> None:
        """Wrap an application."""
        self._application = application
        self._state = state
        self._drop = drop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        fault = self._state.faults.take(scope["method"], scope["path"])
        answered = False

        def note(status: int) -> None:
            entry = RequestEntry(scope["method"], scope["path"], status, scope.get("operation", ""))
            self._state.requests.append(entry)

        async def noting(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                # Before it is sent: who has the answer also finds it in the log.
                answered = True
                note(message["status"])
            await send(message)

        try:
            if fault is None:
                await self._application(scope, receive, noting)
            else:
                await self._strike(fault, scope, receive, noting)
        finally:
            if not answered:
                note(0)

    async def _strike(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        if fault.effect is Effect.DELAY:
            await asyncio.sleep(fault.seconds)
            await self._application(scope, receive, send)
            return
        if fault.after_effect:
            await self._application(scope, receive, _swallow)
        else:
            await _read_all(receive)
        if fault.effect is Effect.DROP:
            self._drop(scope["client"])
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        await _fault_response(fault, self._state)(scope, receive, send)


async def _read_all(receive: Receive) -> None:
    # A client that is still sending would see a broken pipe in place of the answer.
    while (await receive()).get("more_body"):
        pass


async def _swallow(_message: Message) -> None:
    """Keep an answer from the client."""


def _fault_response(fault: Fault, state: State) -> Response:
    headers = dict(fault.headers)
    if fault.effect is Effect.STATUS:
        return JSONResponse({"message": "Server Error"}, fault.status, headers)
    body: dict[str, Any] = {"documentation_url": f"{DOCS}/rate-limit"}
    if fault.effect is Effect.PRIMARY_LIMIT:
        reset = int(state.now().timestamp() + fault.seconds)
        headers = _rate_headers(state) | {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)} | headers
        body["message"] = "API rate limit exceeded for installation ID 1."
    else:
        headers = {"Retry-After": str(int(fault.seconds))} | headers
        body["message"] = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return JSONResponse(body, TOO_MANY if fault.status == TOO_MANY else 403, headers)


def _rate_headers(state: State) -> dict[str, str]:
    used = min(len(state.requests), HOURLY - 1)
    return {
        "X-RateLimit-Limit": str(HOURLY),
        "X-RateLimit-Remaining": str(HOURLY - used),
        "X-RateLimit-Used": str(used),
        "X-RateLimit-Reset": str(int(state.now().timestamp()) + 3600),
        "X-RateLimit-Resource": "core",
        "X-GitHub-Media-Type": "github.v3; format=json",
    }
