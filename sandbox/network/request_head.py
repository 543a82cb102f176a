"""Reads what a client asks of a forward proxy (RFC 9110 section 9.3.6, RFC 9112 section 3), strictly.

Nothing of the head but its method and target is ever passed on.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from sandbox.network.origin import Origin

END = b"\r\n\r\n"

NOBODY = Origin("?", 0)
"""Stands for the origin where none was asked for."""

_REQUEST_LINE = re.compile(rb"(?P<method>[A-Z]{1,20}) (?P<target>[!-~]{1,8000}) HTTP/1\.[01]")
_LINE = re.compile(rb"[\t -~\x80-\xff]*")
_HOST = re.compile(r"[a-z0-9._:-]{1,253}")  # so long is a name in DNS


class RefusedError(Exception):
    """The client is told the status, the operator the reason."""

    def __init__(self, origin: Origin, reason: str, status: str = "403 Forbidden") -> None:
        """Keep all three."""
        super().__init__(reason)
        self.origin = origin
        self.reason = reason
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """`opening` goes to the origin first: nothing for a tunnel, a request of our own for plain HTTP."""

    origin: Origin
    opening: bytes


def parse(head: bytes) -> Request:
    """Read a head that ends with an empty line. Raises `RefusedError`."""
    # A bare CR, LF or NUL in a line would be the end of it to somebody else, and what follows a request of its own.
    lines = head.removesuffix(END).split(b"\r\n")
    line = _REQUEST_LINE.fullmatch(lines[0])
    if line is None or not all(_LINE.fullmatch(one) for one in lines[1:]):
        raise malformed()
    method, target = line["method"].decode(), line["target"].decode()
    if method == "CONNECT" and set(target) & set("/?#"):
        raise malformed()
    origin = _origin(f"https://{target}" if method == "CONNECT" else target)
    if method == "CONNECT":
        return Request(origin, b"")
    if method not in {"GET", "HEAD"} or origin.tls:
        raise RefusedError(origin, "neither a tunnel nor a plain GET")
    parts = urlsplit(target)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines_sent = (f"{method} {path} HTTP/1.1", f"Host: {origin.host}:{origin.port}", "Accept: */*", "Connection: close")
    return Request(origin, "\r\n".join(lines_sent).encode() + END)


def _origin(url: str) -> Origin:
    try:
        origin = Origin.parse(url)
    except ValueError:
        raise malformed() from None
    if not _HOST.fullmatch(origin.host):
        raise malformed()
    return origin


def malformed() -> RefusedError:
    """The refusal of what is no request."""
    return RefusedError(NOBODY, "no request that a proxy understands", "400 Bad Request")
