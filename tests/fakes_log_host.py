"""The host that logs lie on: answers any path with one body, by ranges or not, and remembers what it was asked."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class LogHost:
    """`size` bytes, all `filler` but for `head` and `tail`, so that a long log takes no room; or `body` as it is."""

    head: bytes = b""
    tail: bytes = b""
    size: int = 0
    body: bytes | None = None
    ranges: bool = True
    filler: bytes = b"x" * 99 + b"\n"
    requests: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0
    url: str = ""

    @property
    def length(self) -> int:
        return self.size if self.body is None else len(self.body)

    def part(self, start: int, end: int) -> bytes:
        """The bytes from `start` up to `end`."""
        if self.body is not None:
            return self.body[start:end]
        width = len(self.filler)
        middle = (self.filler * ((end - start) // width + 2))[start % width :][: end - start]
        data = bytearray(middle)
        for place, text in ((0, self.head), (self.size - len(self.tail), self.tail)):
            for offset in range(max(place, start), min(place + len(text), end)):
                data[offset - start] = text[offset - place]
        return bytes(data)


@contextmanager
def log_host(host: LogHost) -> Iterator[LogHost]:
    """Serve it on this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host.requests.append({name.lower(): value for name, value in self.headers.items()})
            asked = self.headers.get("Range", "")
            start = int(asked.removeprefix("bytes=").partition("-")[0]) if host.ranges and asked else 0
            self.send_response(206 if host.ranges and asked else 200)
            self.send_header("Content-Length", str(host.length - start))
            self.end_headers()
            try:
                for place in range(start, host.length, 1 << 20):
                    self.wfile.write(host.part(place, min(place + (1 << 20), host.length)))
                    host.sent += 1 << 20
            except OSError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    host.url = f"http://127.0.0.1:{server.server_address[1]}/log"
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
