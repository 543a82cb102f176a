"""A TCP proxy in front of Postgres, one for each worker, that can be cut and mended like a network.

While it is cut nothing passes, in neither direction, and nobody is told: what was sent waits, connections stay open,
new ones get no answer. Mended, what waited arrives late, as after TCP sent it again; or every connection is reset.
"""

import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass, field

BYTES = 65536
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER that makes close(2) reset the connection (socket(7))."""


@dataclass(eq=False)
class _Pair:
    client: socket.socket
    server: socket.socket
    local_port: int
    closed: bool = False


@dataclass(eq=False)
class Proxy:
    """Listens on a port of its own from the beginning; `close` it."""

    upstream: int
    _pairs: set[_Pair] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _flows: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Listen."""
        self._flows.set()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()

    @property
    def local_ports(self) -> frozenset[int]:
        """From which ports it is connected to Postgres, which calls them `client_port`."""
        with self._lock:
            return frozenset(pair.local_port for pair in self._pairs)

    def cut(self) -> None:
        """Let nothing pass."""
        self._flows.clear()

    def mend(self, *, reset: bool) -> None:
        """Let everything pass again: what waited, too, unless connections are `reset`."""
        if reset:
            with self._lock:
                pairs = tuple(self._pairs)
            for pair in pairs:
                self._end(pair, reset=True)
        self._flows.set()

    def close(self) -> None:
        """Listen no more, and end every connection."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.mend(reset=True)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), name="proxy", daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self._flows.wait()
        try:
            server = socket.create_connection(("127.0.0.1", self.upstream))
        except OSError:
            client.close()
            return
        pair = _Pair(client, server, server.getsockname()[1])
        with self._lock:
            self._pairs.add(pair)
        for ends in ((client, server), (server, client)):
            threading.Thread(target=self._pump, args=(pair, *ends), name="proxy", daemon=True).start()

    def _pump(self, pair: _Pair, source: socket.socket, target: socket.socket) -> None:
        try:
            while sent := source.recv(BYTES):
                self._flows.wait()
                target.sendall(sent)
            self._flows.wait()
        except OSError:
            self._flows.wait()
        self._end(pair, reset=False)

    def _end(self, pair: _Pair, *, reset: bool) -> None:
        with self._lock:
            self._pairs.discard(pair)
            if pair.closed:
                return
            pair.closed = True
        for end in (pair.client, pair.server):
            with suppress(OSError):
                if reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                # wakes up whoever reads from it
                end.shutdown(socket.SHUT_RDWR)
            end.close()
