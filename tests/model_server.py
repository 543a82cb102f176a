"""A scripted model server over real HTTP: the n-th chat request gets the n-th reply, across restarts.

A script is a list of replies, each a mapping with any of these keys:

- `text`, `finish_reason` (`stop`), `usage` (a mapping; `None` leaves it out; without the key it is made up)
- `status` with `message` and `parameter` for an error answer, `retry_after` in seconds
- `delay` in seconds before the answer, `close` to hang up without one
- `raw` for a body that is no JSON, of `media_type` (`text/html`)

Every request is one JSON line in the log before it is answered; the number of chat lines there decides the next
reply. As a process: `python tests/model_server.py PORT SCRIPT.json LOG` prints its base URL and serves until killed.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Reply = Mapping[str, Any]
EXHAUSTED: Reply = {"status": 400, "message": "the script holds no further reply"}


class RequestLog:
    """Requests on disk, one JSON line each; `chat` numbers them from 0."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._chats = sum(1 for entry in self.entries() if entry["kind"] == "chat")

    def entries(self) -> list[dict[str, Any]]:
        """Every request so far."""
        if not self._path.exists():
            return []
        return [json.loads(line) for line in self._path.read_text("utf-8").splitlines()]

    def record(self, kind: str, body: object, headers: Mapping[str, str]) -> int:
        """Write one request down, durably; returns its number among the chats."""
        with self._lock:
            number = self._chats
            entry = {"kind": kind, "number": number, "at": time.time(), "headers": headers, "body": body}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())
            self._chats += kind == "chat"
            return number


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self,
        port: int,
        script: Sequence[Reply],
        log: RequestLog,
        models: Sequence[str | Reply],
        pages: Mapping[str, Reply] | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.script, self.log, self.models, self.pages = script, log, models, pages or {}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, as one with a timeout does, is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.log.record("models", None, dict(self.headers.items()))
        if not self.path.endswith("/models"):
            found = self.server.pages.get(self.path)
            self._send(404 if found is None else 200, found or {"error": {"message": "no such page"}})
            return
        entries = [{"id": entry} if isinstance(entry, str) else entry for entry in self.server.models]
        self._send(200, {"object": "list", "data": [{"object": "model", **entry} for entry in entries]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = self.server.log.record("chat", body, dict(self.headers.items()))
        reply = self.server.script[number] if number < len(self.server.script) else EXHAUSTED
        time.sleep(reply.get("delay", 0))
        if reply.get("close"):
            self.close_connection = True
            self.connection.close()
        elif "raw" in reply:
            self._write(reply.get("status", 200), str(reply["raw"]).encode(), reply.get("media_type", "text/html"), {})
        elif reply.get("status", 200) != 200:
            error = {"message": reply.get("message", "scripted"), "param": reply.get("parameter"), "type": "scripted"}
            self._send(reply["status"], {"error": error}, retry_after=reply.get("retry_after"))
        else:
            self._send(200, _completion(number, body, reply))

    def _send(self, status: int, value: object, retry_after: float | None = None) -> None:
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        self._write(status, json.dumps(value).encode(), "application/json", headers)

    def _write(self, status: int, body: bytes, media_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": media_type, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Silent: the request log says it all."""


def _completion(number: int, body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    text = reply.get("text", "")
    message = {"role": "assistant", "content": text}
    answer: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.get("finish_reason", "stop")}],
    }
    prompt = sum(len(message["content"]) for message in body.get("messages", ())) // 4 + 1
    usage = reply.get("usage", {"prompt_tokens": prompt, "completion_tokens": len(text) // 4 + 1})
    if usage is not None:
        answer["usage"] = {"total_tokens": sum(usage.values()), **usage}
    return answer


class ModelServer:
    """The server in a thread of this process, for a `with` block."""

    def __init__(
        self,
        script: Sequence[Reply],
        log: Path,
        models: Sequence[str | Reply] = ("scripted",),
        pages: Mapping[str, Reply] | None = None,
    ) -> None:
        """`models` are names or entries of the list of models, `pages` what else is served, by path."""
        self._log = RequestLog(log)
        self._server = _Server(0, script, self._log, models, pages)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """What a client calls."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The chat requests so far, each with `number`, `headers`, `body`."""
        return [entry for entry in self._log.entries() if entry["kind"] == "chat"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def main(port: str, script: str, log: str) -> None:
    """Serve until killed."""
    server = _Server(int(port), json.loads(Path(script).read_text("utf-8")), RequestLog(Path(log)), ("scripted",))
    sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
