"""Real ClientHellos and loopback servers, for tests of what looks at the former and connects to the latter."""

import os
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self


def client_hello(name: str | None) -> bytes:
    """What OpenSSL sends first when it asks for `name`."""
    context = ssl.create_default_context()
    context.check_hostname = False
    sent = ssl.MemoryBIO()
    connection = context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname=name)
    with suppress(ssl.SSLWantReadError):
        connection.do_handshake()
    return sent.read()


class EchoServer(socketserver.ThreadingTCPServer):
    """Sends back what it gets, and counts its connections."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Echo)
        self.connections = 0

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Echo(socketserver.BaseRequestHandler):
    server: EchoServer

    def handle(self) -> None:
        self.server.connections += 1
        while data := self.request.recv(65536):
            self.request.sendall(data)


@contextmanager
def echo_server() -> Iterator[EchoServer]:
    """An echo server on loopback while the block runs."""
    with EchoServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class ProxyClient:
    """Speaks to a proxy on a unix socket."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        # Through its directory's descriptor, since a socket's path may have 107 characters.
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.socket.connect(f"/proc/self/fd/{directory}/{path.name}")
        except OSError:
            self.socket.close()
            raise
        finally:
            os.close(directory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, data: bytes) -> bytes:
        """Send, and return what comes first; empty when the proxy hangs up."""
        self.socket.sendall(data)
        return self.socket.recv(65536)

    def connect(self, authority: str) -> bytes:
        """Ask for a tunnel; the status line."""
        return self.ask(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode()).partition(b"\r\n")[0]

    def receive(self, count: int) -> bytes:
        """Exactly so many bytes, fewer when the proxy hangs up."""
        received = b""
        while len(received) < count and (data := self.socket.recv(65536)):
            received += data
        return received
