"""The page on this machine that registers the App: it posts the manifest, and takes the code that comes back.

It listens on the loopback address alone. Its own address holds a random part, and only who got the state from that page
may bring a code. Other users of this machine find neither as long as the address is in no process's arguments, which
everybody sees: it reaches the browser by a file that this user alone reads, and a person by the terminal.
"""

import hmac
import html
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from bot.errors import ConfigurationError, RegreenError

BACK = "/created"
IDLE_SECONDS = 10.0
"""How long one connection may stay silent: there is one at a time."""
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Regreen</title>
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}}
button{{font:inherit;padding:.5rem 1rem}}</style>
<h1>{title}</h1>{body}
"""
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What the page shows: `manifest` is posted to `action(state)`; `bought(code)` says where the browser goes next.

    `bought` raises a `RegreenError` where the code is no good.
    """

    manifest: Callable[[str], str]
    action: Callable[[str], str]
    bought: Callable[[str], str]


@dataclass(slots=True)
class Registration:
    """One registration. `manifest` of the offer gets the address that GitHub sends the browser back to.

    `port` 0 becomes the one that was free.
    """

    offer: Offer
    port: int = 0
    state: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _path: str = field(default_factory=lambda: f"/{secrets.token_urlsafe(12)}")
    _ended: bool = False
    _server: HTTPServer = field(init=False)

    def __post_init__(self) -> None:
        """Bind the port. Raises `ConfigurationError` when it is taken."""
        registration = self

        class Handler(BaseHTTPRequestHandler):
            timeout = IDLE_SECONDS

            def do_GET(self) -> None:
                registration.answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing: addresses hold the code."""

        try:
            self._server = HTTPServer(("127.0.0.1", self.port), Handler)
        except OSError as error:
            raise ConfigurationError(
                f"Port {self.port} of this machine cannot be listened on: {error.strerror}", "Choose another --port."
            ) from None
        self.port = self._server.server_port
        self._server.timeout = 1.0

    @property
    def host(self) -> str:
        """The address and port, as a browser names them."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """Where a person begins."""
        return f"http://{self.host}{self._path}"

    def wait(self, seconds: float) -> bool:
        """Answer until the keys are bought, or the time is over, which `False` says."""
        until = time.monotonic() + seconds
        try:
            while not self._ended and time.monotonic() < until:
                self._server.handle_request()
        finally:
            self._server.server_close()
        return self._ended

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """One request of a browser."""
        where = urlsplit(request.path)
        # A page elsewhere whose name is made to mean this machine would name itself here.
        if request.headers.get("Host") != self.host:
            _send(request, 403, "Not this server", "")
        elif where.path == self._path:
            _send(request, 200, "Register the App", self._form())
        elif where.path == BACK:
            self._back(request, {name: values[-1] for name, values in parse_qs(where.query).items()})
        else:
            _send(request, 404, "Nothing here", "")

    def _form(self) -> str:
        manifest = html.escape(self.offer.manifest(f"http://{self.host}{BACK}"))
        action = html.escape(self.offer.action(self.state))
        return (
            f'<form method="post" action="{action}"><input type="hidden" name="manifest" value="{manifest}">'
            "<p>GitHub shows what the App may do, and asks for a name.</p><button>Go on at GitHub</button></form>"
        )

    def _back(self, request: BaseHTTPRequestHandler, query: dict[str, str]) -> None:
        if not hmac.compare_digest(query.get("state", "").encode(), self.state.encode()):
            _send(request, 403, "Not begun here", "<p>Begin again at the address that the terminal shows.</p>")
            return
        try:
            onward = self.offer.bought(query.get("code", ""))
        except RegreenError as error:
            _send(request, 502, "Not registered", f"<p>{html.escape(error.cause)}. {html.escape(error.remedy)}</p>")
            return
        self._ended = True
        link = f'<p>Its keys are stored. <a href="{html.escape(onward)}">Install it on repositories</a> now.</p>'
        _send(request, 200, "Registered", link)


def _send(request: BaseHTTPRequestHandler, status: int, title: str, body: str) -> None:
    page = _PAGE.format(title=title, body=body).encode()
    request.send_response(status)
    for name, value in _HEADERS.items():
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(page)))
    request.send_header("Connection", "close")
    request.end_headers()
    request.wfile.write(page)
