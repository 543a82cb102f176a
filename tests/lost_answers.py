"""A proxy in front of Postgres that loses the answer of a commit: that was done, and nobody is told."""

import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

BYTES = 65536
QUERY = b"Q\x00\x00\x00\x0bCOMMIT\x00"
"""As libpq asks for it ("Message Formats" in Postgres's manual)."""
DONE = b"COMMIT\x00"
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER that makes close(2) reset the connection (socket(7))."""


@dataclass
class LostAnswers:
    """Listens on a port of its own. The next `armed` commits reach the server and have no answer but a reset."""

    upstream: int
    armed: int = 0
    lost: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self.upstream))
                asked = threading.Event()
                threading.Thread(target=self._ask, args=(client, server, asked), daemon=True).start()
                threading.Thread(target=self._answer, args=(client, server, asked), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, asked: threading.Event) -> None:
        with suppress(OSError):
            while sent := client.recv(BYTES):
                if sent == QUERY and self._take():
                    asked.set()
                server.sendall(sent)
        server.close()

    def _answer(self, client: socket.socket, server: socket.socket, asked: threading.Event) -> None:
        with suppress(OSError):
            while sent := server.recv(BYTES):
                if asked.is_set() and DONE in sent:
                    self.lost += 1
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    # wakes up whoever reads from it
                    client.shutdown(socket.SHUT_RD)
                    break
                client.sendall(sent)
        client.close()

    def _take(self) -> bool:
        with self._lock:
            taken = self.armed > 0
            self.armed -= taken
            return taken
