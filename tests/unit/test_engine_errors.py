"""The engine's answers as our errors: a scripted HTTP server in the engine's place."""

import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar

import pytest

from sandbox.containers.engine import DockerEngine
from sandbox.errors import DiskFullError, EngineUnavailableError, ImageMissingError
from sandbox.spec import RunSpec

VERSION = (200, b'{"ApiVersion": "1.41", "Version": "20.10"}')
IMAGE = (200, b'{"Id": "sha256:1", "Config": {}}')
SPEC = RunSpec("r", "image:1", ("true",))

Script = Mapping[str, tuple[int, bytes] | float]


class Handler(BaseHTTPRequestHandler):
    """Answers by the end of the path; a number is how many seconds it keeps silent."""

    script: ClassVar[Script] = {}
    silence: ClassVar[threading.Event] = threading.Event()

    def _answer(self) -> None:
        path = self.path.partition("?")[0]
        answer = next((found for end, found in self.script.items() if path.endswith(end)), (404, b"{}"))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not isinstance(answer, tuple):
            self.silence.wait(answer)
            return
        self.send_response(answer[0])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer[1])))
        self.end_headers()
        self.wfile.write(answer[1])

    do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - the names that the library calls

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def address_string(self) -> str:
        return "unix"


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that has given up is what some of these tests are about."""


@pytest.fixture
def engine_saying(tmp_path: Path) -> Iterator[Callable[[Script], DockerEngine]]:
    servers: list[Server] = []
    silence = threading.Event()

    def start(script: Script) -> DockerEngine:
        path = tmp_path / "engine.sock"
        handler = type(
            "Scripted",
            (Handler,),
            {"script": {"/version": VERSION, "/images/image:1/json": IMAGE, **script}, "silence": silence},
        )
        servers.append(Server(str(path), handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return DockerEngine(f"unix://{path}", call_seconds=1)

    yield start
    silence.set()
    for server in servers:
        server.shutdown()
        server.server_close()


EngineSaying = Callable[[Script], DockerEngine]


def test_a_call_without_an_answer_ends_at_its_deadline(engine_saying: EngineSaying) -> None:
    engine = engine_saying({"/containers/create": 60.0})
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        engine.run(SPEC, ())


def test_attaching_has_a_deadline_too(engine_saying: EngineSaying) -> None:
    engine = engine_saying({"/containers/create": (201, b'{"Id": "c1"}'), "/attach": 60.0, "/c1": (204, b"")})
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        engine.run(SPEC, ())


@pytest.mark.parametrize("text", ["write /x: no space left on device", "Disk quota exceeded"])
def test_a_full_disk_is_named(engine_saying: EngineSaying, text: str) -> None:
    engine = engine_saying({"/containers/create": (500, f'{{"message": "{text}"}}'.encode())})
    with pytest.raises(DiskFullError, match=text):
        engine.run(SPEC, ())


def test_a_missing_image_is_named(engine_saying: EngineSaying) -> None:
    engine = engine_saying({"/images/image:1/json": (404, b'{"message": "No such image: image:1"}')})
    with pytest.raises(ImageMissingError, match="image:1"):
        engine.run(SPEC, ())


def test_any_other_refusal_carries_the_engines_words(engine_saying: EngineSaying) -> None:
    engine = engine_saying({"/containers/create": (400, b'{"message": "unknown runtime x"}')})
    with pytest.raises(EngineUnavailableError, match="unknown runtime x"):
        engine.run(SPEC, ())


def test_a_pull_that_no_registry_answers_is_false(engine_saying: EngineSaying) -> None:
    assert engine_saying({"/images/create": (200, b'{"error": "no such host"}\r\n')}).pull("image:1", 2) is False


def test_a_pull_that_fills_the_disk_is_named(engine_saying: EngineSaying) -> None:
    engine = engine_saying({"/images/create": (200, b'{"error": "write: no space left on device"}\r\n')})
    with pytest.raises(DiskFullError):
        engine.pull("image:1", 2)


def test_a_slow_pull_ends_at_its_deadline(engine_saying: EngineSaying) -> None:
    assert engine_saying({"/images/create": 60.0}).pull("image:1", 1) is False
