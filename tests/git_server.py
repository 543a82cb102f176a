"""Git over real HTTP for tests: `git http-backend` behind a token, with a switch for each way to misbehave."""

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

HTTP_OK = 200


class GitServer:
    """Serves the bare repositories below `root`; `token` is what clients must send as x-access-token's password.

    `hang` accepts requests and never answers, `redirect` sends every client there, `old` speaks git's first
    protocol, which serves the tips of refs only; `authorizations` is what was sent.
    """

    def __init__(self, root: Path, token: str) -> None:
        self.root, self.token = root, token
        self.redirect = ""
        self.hang = False
        self.old = False
        self.authorizations: list[str] = []
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Where the repositories are."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str, method: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        self.authorizations.append(headers.get("authorization", ""))
        if self.hang:
            self.released.wait()
        if self.redirect:
            return 302, {"Location": self.redirect + path}, b""
        expected = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        if headers.get("authorization") != f"Basic {expected}":
            return 401, {"WWW-Authenticate": 'Basic realm="git"'}, b""
        return self._backend(path, method, headers, body)

    def _backend(
        self, path: str, method: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        place, _, query = path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": place,
            "QUERY_STRING": query,
            "REQUEST_METHOD": method,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
            "GIT_PROTOCOL": "" if self.old else headers.get("git-protocol", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=environment, check=False)
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        answer = dict(line.decode().split(": ", 1) for line in head.split(b"\r\n") if line)
        return int(answer.pop("Status", str(HTTP_OK)).split()[0]), answer, rest


def _handler(owner: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _answer(self, body: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, answer, content = owner.answer(self.path, self.command, headers, body)
            self.send_response(status)
            for name, value in {**answer, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Silent."""

    return Handler
