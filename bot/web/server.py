"""The HTTP server around the application: how many connections, and how long one may stay silent.

Uvicorn itself bounds the size of a request's head (16 KiB, h11's own bound) and the pause between two requests, and has
no bound on the time until the first one; here each head has to be there in time. What no server in one process can do
is the duty of the reverse proxy before it, as of any that faces the internet: TLS, connections per address, and
requests per address. GitHub's deliveries come from the addresses that its `/meta` lists under `hooks`.
"""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

MOST_CONNECTIONS = 256
"""Open at once, silent ones included; further ones are answered 503. Each may hold a body of `webhook.SMALL_BODY`."""
KEEP_ALIVE_SECONDS = 5
HEAD_SECONDS = 10.0
COULD_NOT_START = 3


class PunctualProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on a client whose request line and headers do not arrive in time.

    The time runs from the connection's beginning, and again from each answer: it also ends the sending of a body that
    was refused unread.
    """

    head_seconds = HEAD_SECONDS
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._await_head()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        # First, since the next one may be here already.
        self._await_head()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._cancel()
        self._late = self.loop.call_later(self.head_seconds, self._hang_up, self.cycle)

    def _cancel(self) -> None:
        if self._late is not None:
            self._late.cancel()

    def _hang_up(self, before: "RequestResponseCycle | None") -> None:
        if self.cycle is before:
            self.transport.abort()


def configured(
    app: FastAPI, host: str = "127.0.0.1", port: int = 0, protocol: type[PunctualProtocol] = PunctualProtocol
) -> uvicorn.Config:
    """The server's settings."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol,
        ws="none",
        lifespan="off",
        # whom to believe about senders is a setting of ours; uvicorn's would put another sender in the peer's place
        proxy_headers=False,
        # its own would print past our redaction
        log_config=None,
        log_level="warning",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )


def serve(app: FastAPI, host: str, port: int) -> None:
    """Serve until a signal ends it; an address that cannot be had is logged and ends the process."""
    server = uvicorn.Server(configured(app, host, port))
    # uvicorn raises the signal again that it has heeded
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        raise SystemExit(COULD_NOT_START)
