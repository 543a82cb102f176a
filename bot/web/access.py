"""Who may look and who may act: read-only on this machine, operators elsewhere, and hidden repositories for them alone.

What comes through a reverse proxy comes from this machine's own address: a request counts as local only where nothing
of it, nor of the settings, says that it may have come from elsewhere.
"""

import time
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from starlette.requests import HTTPConnection, Request

from bot.web.pages.visitor import Visitor
from bot.web.proxies import Proxies
from bot.web.sessions import Attempts, Session, Sessions

COOKIE, SESSION = "regreen", "regreen.session"
"""The name of the cookie, and that of its session in the scope of a request."""
FORWARDING = frozenset({"forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"})
X_FORWARDED = "x-forwarded-"
"""What reverse proxies add, and how the names of the rest of it begin."""
NO_HOST = frozenset("@/?#\\ ")
"""What ends a name, or stands before it, in an address; a `Host` header holds none."""
OLD_HTTP = "1.0"
"""What nginx before 1.29.7 speaks to what is behind it unless told otherwise, and no browser."""


class TooOftenError(Exception):
    """So many wrong tokens were said that none is looked at for these `seconds`."""

    def __init__(self, seconds: float) -> None:
        """Keep them."""
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Access:
    """The rules. `host` is what the server listens on, `public_url` where people reach it, or empty."""

    host: str
    public_url: str
    hidden: tuple[str, ...] = ()
    sessions: Sessions | None = None
    attempts: Attempts = field(default_factory=lambda: Attempts(time.monotonic))
    measuring: Attempts = field(default_factory=lambda: Attempts(time.monotonic))
    """Those of `/metrics`: a scraper with an old token must not keep its operator from signing in."""
    proxies: Proxies = field(default_factory=Proxies)

    def opens(self, request: HTTPConnection, said: str) -> bool:
        """Whether it is the operator's token. Raises `TooOftenError` where too many wrong ones were said."""
        return self._opens(request, said, self.attempts)

    def measures(self, request: HTTPConnection, said: str) -> bool:
        """The same, said to read metrics."""
        return self._opens(request, said, self.measuring)

    def _opens(self, request: HTTPConnection, said: str, attempts: Attempts) -> bool:
        address = self.sender(request)
        if wait := attempts.wait(address):
            raise TooOftenError(wait)
        if self.sessions is None:
            return False
        if self.sessions.opens(said):
            return True
        wait = attempts.crowd()
        attempts.failed(address)
        if wait:
            raise TooOftenError(wait)
        return False

    def sender(self, request: HTTPConnection) -> str:
        """The address that a request was sent from, through trusted proxies or not; empty where it has none."""
        return self.proxies.sender(request)

    def look_up(self, request: HTTPConnection) -> None:
        """Find a request's session for all who ask for it later. Asks the store: raises `StoreError`, and may block."""
        cookie = request.cookies.get(COOKIE, "")
        request.scope[SESSION] = self.sessions.find(cookie) if self.sessions and cookie else None

    def session(self, request: HTTPConnection) -> Session | None:
        """The operator's session that was found; none before `look_up`."""
        found: Session | None = request.scope.get(SESSION)
        return found

    def visitor(self, request: Request) -> Visitor:
        """What the sender of a request may see and do, once they are let in."""
        session = self.session(request)
        if session is None or self.sessions is None:
            return Visitor(hidden=self.hidden, may_sign_in=self.sessions is not None)
        return Visitor(may_act=True, csrf=self.sessions.form_token(session), signed_in=True)

    def is_open(self, request: HTTPConnection) -> bool:
        """Whether pages are shown to whoever sends this."""
        return self.is_local(request) or self.session(request) is not None

    def is_local(self, request: HTTPConnection) -> bool:
        """Whether it was sent on this machine, to a server that nobody else reaches.

        No header makes it so: what one of them says can only tell that it came from elsewhere.
        """
        elsewhere = self.public_url and not is_loopback(urlsplit(self.public_url).hostname or "")
        if elsewhere or not is_loopback(self.host) or self.proxies.brought(request):
            return False
        came_from = request.client.host if request.client else ""
        asked_for = hostname(request.headers.get("host", ""))
        return is_loopback(came_from) and is_loopback(asked_for) and not _is_forwarded(request)

    def answers_to(self, host: str) -> bool:
        """Whether a `Host` header names this server: no page of another name, made to lead here, reads these.

        An address is no name, and nobody else's name leads to a server that listens elsewhere and has none itself.
        """
        name = hostname(host)
        known = {(urlsplit(self.public_url).hostname or "").lower(), self.host.lower()} - {""}
        return (
            _is_address(name) or is_loopback(name) or name in known or not (self.public_url or is_loopback(self.host))
        )

    def is_hidden(self, path: str, request: HTTPConnection) -> bool:
        """Whether a page is about a repository that the sender may not see, whatever of it is asked for."""
        repository = _repository(path)
        return bool(repository) and self.session(request) is None and not Visitor(self.hidden).sees(repository)

    def is_own(self, request: HTTPConnection) -> bool:
        """Whether what changes something was sent by one of this server's own pages."""
        origin = request.headers.get("origin")
        if origin is None:
            return request.headers.get("sec-fetch-site") == "same-origin"
        try:
            said = urlsplit(origin)
        except ValueError:
            return False
        here = {request.headers.get("host", "").lower(), urlsplit(self.public_url).netloc.lower()} - {""}
        return said.scheme in {"http", "https"} and said.netloc.lower() in here

    def is_encrypted(self, request: HTTPConnection) -> bool:
        """Whether the browser that sent it reaches this by HTTPS."""
        return self.public_url.startswith("https:") or self.proxies.encrypted(request)


def hostname(host: str) -> str:
    """The name in a `Host` header, without its port; empty for what is none."""
    if not NO_HOST.isdisjoint(host):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine to itself."""
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def _is_forwarded(request: HTTPConnection) -> bool:
    added = any(name in FORWARDING or name.startswith(X_FORWARDED) for name in request.headers)
    return added or request.scope["http_version"] == OLD_HTTP


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _repository(path: str) -> str:
    """The owner/name that a path is about: of `/runs/owner/name:…` and `/repositories/owner/name`, else empty."""
    kind, _, rest = path.lstrip("/").partition("/")
    # paths come decoded once; what is encoded twice means nothing to a route, and nothing good here
    name = unquote(rest)
    if kind == "runs":
        return name.partition(":")[0]
    return "/".join(name.split("/")[:2]) if kind == "repositories" else ""
