"""A container engine on a unix socket that keeps silent, drips, or does not end what it is told to kill."""

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

SILENCE = "silence"
DRIP = "drip"
ATTACHED = "attached"

Answer = str | tuple[int, object]
Script = dict[str, Answer]

WORKING: Mapping[str, Answer] = {
    "/version": (200, {"ApiVersion": "1.41", "Version": "20.10"}),
    "/_ping": (200, "OK"),
    "/image:1/json": (200, {"Id": "sha256:1", "Config": {}}),
    "/containers/create": (201, {"Id": "c1"}),
    "/containers/json": (200, []),
    "/attach": ATTACHED,
    "/start": (204, None),
    "/kill": (204, None),
    "/wait": (200, {"StatusCode": 0}),
    "/c1/json": (200, {"State": {"OOMKilled": False}}),
    "/containers/c1": (204, None),
}


class StuckEngine:
    """Answers by the end of the path, as `script` says at that moment; `calls` are the paths asked for."""

    def __init__(self, path: Path, script: Script) -> None:
        self.script: Script = {**WORKING, **script}
        self.calls: list[str] = []
        self.over = threading.Event()
        self._server = _Server(str(path), _Handler)
        self._server.serve = self._serve
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"unix://{path}"

    def stop(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, request: socket.socket) -> None:
        while head := _head(request):
            path = head.split()[1].partition("?")[0]
            self.calls.append(path)
            answer = next((found for end, found in self.script.items() if path.endswith(end)), (404, {}))
            if isinstance(answer, str):
                self._misbehave(request, answer)
                return
            request.sendall(_response(*answer))

    def _misbehave(self, request: socket.socket, how: str) -> None:
        if how == ATTACHED:
            request.sendall(b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
        elif how == DRIP:
            request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while not self.over.wait(0.05):
                request.sendall(b" ")
        self.over.wait()


def _head(request: socket.socket) -> str:
    data = b""
    while b"\r\n\r\n" not in data:
        more = request.recv(1 << 16)
        if not more:
            return ""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += request.recv(1 << 16)
    return head.decode()


def _response(status: int, body: object) -> bytes:
    content = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    kind = "text/plain" if isinstance(body, str) else "application/json"
    return f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.server.serve(self.request)  # type: ignore[attr-defined]  # the server below has it


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    serve: Callable[[socket.socket], None]

    def handle_error(self, *_: object) -> None:
        """A client that has given up is what these tests are about."""
