"""Who sends what comes through reverse proxies, as far as these are to be believed.

Each proxy adds on the right whom it has a request from. What stands left of a trusted one's word anybody may have
written, so that the sender is the first from the right who is no trusted proxy. Sources: RFC 7239, sections 4 to 8;
https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/X-Forwarded-For
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from starlette.requests import HTTPConnection

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address
_PORT = "(?::[0-9]{1,5})?"
_NODE = re.compile(rf"\[([0-9A-Fa-f:.]{{2,45}})\]{_PORT}|([0-9.]{{7,15}}){_PORT}|([0-9A-Fa-f:.]{{2,45}})")
_PAIR = re.compile(r'[ \t]*([A-Za-z]{1,20})=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))[ \t]*([;,]|$)')
"""One parameter of a `Forwarded` header, and what ends it."""


@dataclass(frozen=True, slots=True)
class Proxies:
    """The trusted ones: those that the operator `named`; where none is, whatever is on this machine."""

    named: tuple[Network, ...] = ()

    def brought(self, request: HTTPConnection) -> bool:
        """Whether a request came from one that was named, whatever it says of it."""
        return self._names(_peer(request))

    def sender(self, request: HTTPConnection) -> str:
        """The address of whoever sent it; of the last proxy that is known where the headers say nothing sound.

        A proxy adds to one kind of header and may hand on whatever a client wrote into the other: two that do not agree
        say nothing.
        """
        peer = _peer(request)
        if peer is None or not self._trusts(peer):
            return str(peer or "")
        headers = _joined(request, "x-forwarded-for").split(","), [one.get("for", "") for one in _forwarded(request)]
        found = {self._outermost(peer, hops) for hops in headers if any(hops)}
        return str(found.pop() if len(found) == 1 else peer)

    def encrypted(self, request: HTTPConnection) -> bool:
        """Whether it was sent by HTTPS, to this server or to a trusted proxy."""
        peer = _peer(request)
        if peer is None or not self._trusts(peer):
            return str(request.scope["scheme"]) == "https"
        said = *_joined(request, "x-forwarded-proto").split(","), *(one.get("proto", "") for one in _forwarded(request))
        return any(one.strip().lower() == "https" for one in (request.scope["scheme"], *said))

    def _outermost(self, peer: Address, hops: list[str]) -> Address:
        for hop in reversed(hops):
            found = _address(hop)
            if found is None:
                break
            peer = found
            if not self._trusts(peer):
                break
        return peer

    def _trusts(self, address: Address) -> bool:
        return self._names(address) if self.named else address.is_loopback

    def _names(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self.named)


def _peer(request: HTTPConnection) -> Address | None:
    return _address(request.client.host) if request.client else None


def _address(said: str) -> Address | None:
    """An address, with or without a port; `None` for anything else, such as the names that RFC 7239 allows."""
    node = _NODE.fullmatch(said.strip())
    try:
        found = ip_address(next(filter(None, node.groups()))) if node else None
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def _joined(request: HTTPConnection, name: str) -> str:
    """All headers of a name as the one that they stand for (RFC 9110, section 5.3)."""
    return ",".join(filter(None, map(str.strip, request.headers.getlist(name))))


def _forwarded(request: HTTPConnection) -> list[dict[str, str]]:
    """What each proxy says in a `Forwarded` header, by parameter; nothing of a header that is malformed."""
    text = _joined(request, "forwarded")
    found: list[dict[str, str]] = [{}]
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None:
            return []
        name, quoted, plain, end = pair.groups()
        found[-1][name.lower()] = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        found += [{}] if end == "," else []
        at = pair.end()
    return found
