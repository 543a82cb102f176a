"""Runs the stand-in in this process, on ephemeral loopback ports, for tests and for `server`."""

import asyncio
import socket
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.demo import git_server, spec
from bot.demo.app import build
from bot.demo.log_host import log_application
from bot.demo.pages import Pages
from bot.demo.records import Violation
from bot.demo.state import AppConfig, State

START_SECONDS = 10


class StandIn:
    """A GitHub of its own. As a context manager it checks at the end that no request was refused by the description.

    `base_url` is the address of pages and git, `api_url` that of REST. The job logs stand on another host name and
    port. Set `state.clock` to a function to move time, `hook(url, secret)` to receive webhooks.
    """

    def __init__(self, app: AppConfig, *, directory: Path | None = None, port: int = 0) -> None:
        """Bind the ports; `start` begins to answer. The directory must be empty; without one, a temporary is used."""
        self._temporary = None if directory else tempfile.TemporaryDirectory(prefix="github-stand-in-")
        self._sockets = (_bind(port), _bind(0))
        address, logs = (bound.getsockname()[1] for bound in self._sockets)
        place = directory or Path(self._temporary.name if self._temporary else "")
        self.base_url = f"http://127.0.0.1:{address}"
        self.state = State(place, self.base_url, app, log_host=f"http://localhost:{logs}")
        routes = [*git_server.routes(self.state), *Pages(self.state).routes()]
        application = build(self.state, spec.load(), routes, self._drop)
        self._servers = tuple(
            uvicorn.Server(uvicorn.Config(one, log_config=None, http="h11", ws="none", lifespan="off"))
            for one in (application, log_application(self.state))
        )
        self._thread = threading.Thread(target=self._serve, name="github-stand-in", daemon=True)

    @property
    def api_url(self) -> str:
        """Where REST is."""
        return self.state.api

    @property
    def violations(self) -> list[Violation]:
        """What the description refused so far."""
        return self.state.violations

    def hook(self, url: str, secret: str) -> None:
        """Send the App's webhooks there, signed with this secret."""
        self.state.hooks.secret = secret
        self.state.hooks.url = url

    def check(self) -> None:
        """Raise `AssertionError` if the description refused a request or a response."""
        if self.violations:
            listed = "\n".join(f"  {violation}" for violation in self.violations)
            raise AssertionError(f"GitHub's description refuses:\n{listed}")

    def start(self) -> Self:
        """Answer from now on."""
        self._thread.start()
        deadline = threading.Event()
        for _ in range(START_SECONDS * 100):
            if all(server.started for server in self._servers):
                break
            deadline.wait(0.01)
        self.state.hooks.start()
        return self

    def stop(self) -> None:
        """Stop answering and remove a temporary directory."""
        self.state.hooks.stop()
        for server in self._servers:
            server.should_exit = True
        self._thread.join(START_SECONDS)
        for bound in self._sockets:
            bound.close()
        if self._temporary:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        """Start."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop; check, unless something else failed already."""
        self.stop()
        if kind is None:
            self.check()

    def _serve(self) -> None:
        asyncio.run(self._serve_all())

    async def _serve_all(self) -> None:
        pairs = zip(self._servers, self._sockets, strict=True)
        await asyncio.gather(*(server.serve(sockets=[bound]) for server, bound in pairs))

    def _drop(self, client: tuple[str, int]) -> None:
        # uvicorn offers no way to answer with nothing; its protocols know their client and their transport.
        for connection in tuple(self._servers[0].server_state.connections):
            if isinstance(connection, H11Protocol) and connection.client == client:
                connection.transport.abort()


def _bind(port: int) -> socket.socket:
    # The protocol is named because asyncio sets TCP_NODELAY only then: without, each answer takes 40 ms.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    return bound
