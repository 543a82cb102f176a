"""Signing in with the operator's token, and out."""

from math import ceil

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.web import forms
from bot.web.access import COOKIE, Access, TooOftenError
from bot.web.pages.rendering import Rendering
from bot.web.security import SIGN_IN, SIGN_OUT
from bot.web.sessions import SECONDS

_log = structlog.get_logger(__name__)


class Signing:
    """`/sign-in` and `/sign-out`."""

    def __init__(self, access: Access, rendering: Rendering) -> None:
        """Keep both."""
        self._access = access
        self._rendering = rendering

    def routes(self) -> list[BaseRoute]:
        """The form, what it sends, and the end."""
        return [
            Route(SIGN_IN, self._form, methods=["GET"]),
            Route(SIGN_IN, self._sign_in, methods=["POST"]),
            Route(SIGN_OUT, self._sign_out, methods=["POST"]),
        ]

    async def _form(self, request: Request) -> Response:
        onward = forms.place(request.query_params.get("next", ""))
        if self._access.session(request) is not None:
            return RedirectResponse(onward, 303)
        # A link on another site's page is followed without the cookie, which is strict: one more step brings it along.
        arrived = request.headers.get("sec-fetch-site") == "cross-site"
        return self._page(request, onward, arrived=arrived)

    async def _sign_in(self, request: Request) -> Response:
        said = await forms.fields(request)
        onward = forms.place(said.get("next", ""))
        try:
            right = self._access.opens(request, said.get("token", ""))
        except TooOftenError as error:
            return self._too_often(request, onward, error.seconds)
        if not right or self._access.sessions is None:
            _log.warning("operator_not_signed_in", address=self._access.sender(request))
            return self._page(request, onward, 401, "This is not the operator's token.")
        _log.info("operator_signed_in", address=self._access.sender(request))
        response = RedirectResponse(onward, 303)
        cookie = self._access.sessions.begin()
        response.set_cookie(
            COOKIE, cookie, SECONDS, httponly=True, samesite="strict", secure=self._access.is_encrypted(request)
        )
        return response

    def _too_often(self, request: Request, onward: str, seconds: float) -> Response:
        _log.warning("operator_not_signed_in", address=self._access.sender(request), too_often=True)
        minutes = ceil(seconds / 60)
        response = self._page(request, onward, 429, f"Too many wrong tokens were said. Try again in {minutes} minutes.")
        response.headers["Retry-After"] = str(ceil(seconds))
        return response

    async def _sign_out(self, request: Request) -> Response:
        said, session = await forms.fields(request), self._access.session(request)
        if session is not None and self._access.sessions is not None:
            if not self._access.sessions.is_form_token(session, said.get("csrf", "")):
                return self._page(request, "/runs", 403, "Load the page again before you sign out.")
            await run_in_threadpool(self._access.sessions.end, session)
        response = RedirectResponse(SIGN_IN, 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=self._access.is_encrypted(request))
        return response

    def _page(
        self, request: Request, onward: str, status: int = 200, wrong: str = "", *, arrived: bool = False
    ) -> Response:
        visitor = self._access.visitor(request)
        return self._rendering.page(
            request, visitor, "sign_in.html", status, onward=onward, wrong=wrong, arrived=arrived
        )
