"""A web server of a test's own on this machine: it answers what a script says, and remembers what it was asked."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class SmallSite:
    """`answers` maps "METHOD /path" (without a query) to status, headers and body; anything else is 404."""

    answers: dict[str, tuple[int, Mapping[str, str], bytes]] = field(default_factory=dict)
    asked: list[tuple[str, str, Mapping[str, str], bytes]] = field(default_factory=list)
    url: str = ""
    dated: str = ""
    """What the server says that the time is; its own when empty."""


@contextmanager
def small_site() -> Iterator[SmallSite]:
    """A site that answers while the block runs."""
    site = SmallSite()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            site.asked.append((self.command, self.path, dict(self.headers), body))
            status, headers, content = site.answers.get(
                f"{self.command} {self.path.partition('?')[0]}", (404, {}, b"{}")
            )
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = answer  # noqa: N815 - the server's names

        def date_time_string(self, timestamp: float | None = None) -> str:
            return site.dated or super().date_time_string(timestamp)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
