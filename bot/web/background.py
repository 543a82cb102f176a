"""An application served from a thread of a process whose main work is another: a worker's probes and metrics."""

import socket
import threading

import uvicorn
from fastapi import FastAPI

from bot.web.server import configured

END_SECONDS = 2.0


class Background:
    """Listens when it is made, and serves until `close`. Raises `OSError` when the address cannot be had."""

    def __init__(self, app: FastAPI, host: str, port: int) -> None:
        """`port` 0 takes a free one."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family)
        self._server = uvicorn.Server(configured(app, host, port))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="probes", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    def close(self) -> None:
        """Answer no more."""
        self._server.should_exit = True
        self._thread.join(END_SECONDS)
        self._socket.close()
