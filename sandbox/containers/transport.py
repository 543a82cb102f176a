"""HTTP to the engine over sockets that obey a total deadline: a timeout on silence lets an answer drip for ever."""

import socket
import time
from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool

_UNIX = "unix://"
_CONNECTIONS = 4


class Clock:
    """When the call in progress has to be over."""

    def __init__(self) -> None:
        """No call yet: nothing may be sent."""
        self._end = 0.0

    def allow(self, seconds: float) -> None:
        """Begin a call."""
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds left. Raises `TimeoutError` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            message = "the call missed its deadline"
            raise TimeoutError(message)
        return left


class BoundSocket(socket.socket):
    """A socket each of whose operations ends when its clock says so; without a clock, when its timeout does."""

    clock: Clock | None = None

    @classmethod
    def open(cls, address: str, clock: Clock) -> Self:
        """Connect to a unix:// or tcp:// address. Raises `OSError`."""
        if address.startswith(_UNIX):
            found = cls(socket.AF_UNIX)
            target: Any = address.removeprefix(_UNIX)
        else:
            parts = urlsplit(address)
            family, _, _, _, target = socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM)[0]
            found = cls(family)
        found.clock = clock
        try:
            found.settimeout(clock.left())
            found.connect(target)
        except OSError:
            found.close()
            raise
        return found

    def _bind(self) -> None:
        if self.clock is not None:
            self.settimeout(self.clock.left())

    def recv_into(self, *arguments: Any) -> int:
        """As the socket's own."""
        self._bind()
        return super().recv_into(*arguments)

    def sendall(self, *arguments: Any) -> None:
        """As the socket's own, whose timeout covers all of it."""
        self._bind()
        super().sendall(*arguments)


class _Connection(HTTPConnection):
    def __init__(self, address: str, clock: Clock) -> None:
        super().__init__("localhost")
        self._address = address
        self._clock = clock

    def connect(self) -> None:
        self.sock = BoundSocket.open(self._address, self._clock)


class _Pool(HTTPConnectionPool):
    def __init__(self, address: str, clock: Clock) -> None:
        # An attached stream holds one connection while further calls are made.
        super().__init__("localhost", maxsize=_CONNECTIONS)
        self._address = address
        self._clock = clock

    def _new_conn(self) -> _Connection:
        return _Connection(self._address, self._clock)


class BoundAdapter(HTTPAdapter):
    """Sends every request to one address, whatever its URL says."""

    def __init__(self, address: str, clock: Clock) -> None:
        """`address` is a unix:// or tcp:// one."""
        self._pool = _Pool(address, clock)
        super().__init__()

    def get_connection_with_tls_context(
        self,
        request: requests.PreparedRequest,
        verify: bool | str | None,  # noqa: FBT001 - the library's signature
        proxies: Mapping[str, str] | None = None,
        cert: Any = None,
    ) -> HTTPConnectionPool:
        """The one pool."""
        del request, verify, proxies, cert
        return self._pool

    def request_url(self, request: requests.PreparedRequest, proxies: Mapping[str, str] | None) -> str:
        """The path alone; no proxy stands before an engine."""
        del proxies
        return request.path_url

    def close(self) -> None:
        """Close the connections too."""
        self._pool.close()
        super().close()
