"""Reads the server name out of a TLS ClientHello (RFC 8446 section 4.1.2, RFC 6066 section 3) without answering it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

MAX_HELLO = 1 << 14
MAX_PIECES = 64
_PIECE = 1 << 14
_RECORD_HEADER = 5
_HANDSHAKE_HEADER = 4
_HANDSHAKE_RECORD = 22
_CLIENT_HELLO = 1
_SERVER_NAME = 0
_ENCRYPTED_CLIENT_HELLO = 0xFE0D


class NotTlsError(ValueError):
    """Bytes that are no ClientHello, or one that hides or leaves out the name it asks for."""


@dataclass
class _Cursor:
    data: bytes
    at: int = 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise NotTlsError("a truncated ClientHello")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, width: int) -> int:
        return int.from_bytes(self.take(width), "big")

    def vector(self, width: int) -> "_Cursor":
        return _Cursor(self.take(self.number(width)))

    @property
    def done(self) -> bool:
        return self.at == len(self.data)


async def receive(read: Callable[[int], Awaitable[bytes]]) -> tuple[bytes, str]:
    """Whatever a client sent until its hello was whole, and the one host name in it.

    Each piece is another look at what came before, so there may be 64 of them. Raises `NotTlsError`.
    """
    received = b""
    for _ in range(MAX_PIECES):
        piece = await read(_PIECE)
        received += piece
        body = handshake(received)
        if body is not None:
            return received, server_name(body)
        if not piece:
            break
    raise NotTlsError("a truncated ClientHello")


def handshake(received: bytes) -> bytes | None:
    """The body of the ClientHello that `received` starts with, `None` while bytes are missing.

    Raises `NotTlsError` for anything else, and above 16 KiB.
    """
    message = b""
    at = 0
    while len(received) - at >= _RECORD_HEADER:
        if received[at] != _HANDSHAKE_RECORD or received[at + 1] != 3:  # noqa: PLR2004 - every TLS version's major byte
            raise NotTlsError("no TLS handshake")
        size = int.from_bytes(received[at + 3 : at + _RECORD_HEADER], "big")
        message += received[at + _RECORD_HEADER : at + _RECORD_HEADER + size]
        at += _RECORD_HEADER + size
        body = _complete(message)
        if body is not None:
            return body
    if received[:1] not in {b"", bytes([_HANDSHAKE_RECORD])} or len(received) > MAX_HELLO:
        raise NotTlsError("no TLS handshake")
    return None


def _complete(message: bytes) -> bytes | None:
    if len(message) < _HANDSHAKE_HEADER:
        return None
    size = int.from_bytes(message[1:_HANDSHAKE_HEADER], "big")
    if message[0] != _CLIENT_HELLO or size > MAX_HELLO:
        raise NotTlsError("no ClientHello")
    end = _HANDSHAKE_HEADER + size
    return message[_HANDSHAKE_HEADER:end] if len(message) >= end else None


def server_name(body: bytes) -> str:
    """The one host name of a ClientHello's body, lower case.

    Raises `NotTlsError` where there is none, more than one, or where an encrypted inner hello may carry another.
    """
    hello = _Cursor(body)
    hello.take(2 + 32)
    for width in (1, 2, 1):  # session id, cipher suites, compression methods
        hello.vector(width)
    names: list[bytes] = []
    extensions = hello.vector(2)
    while not extensions.done:
        kind, content = extensions.number(2), extensions.vector(2)
        if kind == _ENCRYPTED_CLIENT_HELLO:
            raise NotTlsError("an encrypted ClientHello")
        if kind == _SERVER_NAME:
            names += _names(content)
    if len(names) != 1:
        raise NotTlsError("not exactly one server name")
    return names[0].decode("ascii", "replace").lower()


def _names(content: _Cursor) -> list[bytes]:
    entries = content.vector(2)
    names = []
    while not entries.done:
        kind, name = entries.number(1), entries.vector(2)
        if kind == 0:
            names.append(name.data)
    return names
