"""What a model call takes from the environment (nothing), and how long and how large an answer may be."""

import gzip
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer as ScriptedServer
from pydantic import SecretStr

from bot.adapters.llm import ModelServer, OpenAIModel, Prices
from bot.adapters.llm_client import MAX_BODY
from bot.errors import ModelError
from bot.repair.types import CompletionLimits, Message

KEY = "sk-made-up-0123456789"
CHAT = (Message("user", "fix it"),)
FREE = Prices(free=("*",))
NESTED = "[" * 200_000
DRIPS = 200


def model(url: str, name: str = "m", timeout: float = 5.0) -> OpenAIModel:
    return OpenAIModel(ModelServer(url, SecretStr(KEY), timeout, 0), name, FREE)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Quiet(BaseHTTPRequestHandler):
    def head(self, headers: dict[str, str]) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        for name, value in {"Content-Type": "application/json", "Connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


def page(body: bytes, headers: dict[str, str] | None = None) -> type[Quiet]:
    class Page(Quiet):
        def do_GET(self) -> None:
            self.head(headers or {})
            try:
                self.wfile.write(body)
            except OSError:
                """A client that had enough is what is tested."""

        def do_POST(self) -> None:
            self.do_GET()

    return Page


def test_nothing_that_the_sdk_would_take_from_the_environment_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = {
        "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer ambient\napi-key: ambient\nUser-Agent: ambient",
        "OPENAI_ORG_ID": "ambient",
        "OPENAI_PROJECT_ID": "ambient",
        "OPENAI_ADMIN_KEY": "ambient",
        "OPENAI_API_KEY": "ambient",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/ambient",
    }
    for name, value in taken.items():
        monkeypatch.setenv(name, value)
    with ScriptedServer([{"text": "done"}], tmp_path / "log", ("m",)) as server:
        made = model(server.base_url, "")
        made.complete(CHAT, CompletionLimits(64, 0.2))
        made.served_context()
        seen = [json.loads(line)["headers"] for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    assert len(seen) >= 3
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers in seen)
    assert not any(name.startswith("openai-") for headers in seen for name in headers)
    assert not any("ambient" in value for headers in seen for value in headers.values())


def test_an_empty_base_url_is_the_vendors_own_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/ambient")
    # looked up inside, since asking would leave this machine
    assert "127.0.0.1" not in str(model("")._client.base_url)


def test_a_prompt_goes_nowhere_that_its_server_points_to(tmp_path: Path) -> None:
    class Pointing(Quiet):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(307)
            self.send_header("Location", f"{other.base_url}/chat/completions")
            self.send_header("Content-Length", "0")
            self.end_headers()

    with ScriptedServer([{"text": "done"}], tmp_path / "log", ("m",)) as other:
        with serving(Pointing) as url, pytest.raises(ModelError, match="307"):
            model(url).complete(CHAT, CompletionLimits(64, 0.2))
        assert not (tmp_path / "log").exists() or not (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", ["id", "name", "model"])
@pytest.mark.parametrize("value", [[], {}, [["m"]], None, 3])
def test_names_of_any_type_in_a_list_of_models_are_no_error(tmp_path: Path, field: str, value: object) -> None:
    with ScriptedServer([], tmp_path / "log", ({"id": "x", field: value}, {"id": "m", "n_ctx": 4096})) as server:
        assert model(server.base_url).served_context() == 4096


def test_endlessly_nested_answers_are_no_context_no_model_and_no_completion() -> None:
    with serving(page(NESTED.encode())) as url:
        assert model(url).served_context() is None
        with pytest.raises(ModelError, match="no chat completion"):
            model(url).complete(CHAT, CompletionLimits(64, 0.2))
        with pytest.raises(ModelError, match="list of models"):
            model(url, "")


@pytest.mark.parametrize("listed", ['{"data": null}', '{"data": [{"id": ["m"]}]}', "{}", "[]", "3", "no JSON"])
def test_a_list_of_models_that_is_none_is_an_error_with_a_remedy(listed: str) -> None:
    with serving(page(listed.encode())) as url, pytest.raises(ModelError, match="list of models") as caught:
        model(url, "")
    assert "REGREEN_MODEL" in caught.value.remedy


def test_a_server_that_drips_its_answer_is_left_when_the_time_is_over() -> None:
    sent: list[int] = []

    class Dripping(Quiet):
        def do_POST(self) -> None:
            self.head({})
            for number in range(DRIPS):
                time.sleep(0.02)
                try:
                    self.wfile.write(b" ")
                except OSError:
                    return
                sent.append(number)

    with serving(Dripping) as url, pytest.raises(ModelError, match="too slow"):
        model(url, timeout=0.3).complete(CHAT, CompletionLimits(64, 0.2))
    assert len(sent) < DRIPS


def completion(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    answer: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return json.dumps(answer).encode()


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_may_be_packed_and_one_that_is_too_large_unpacked_is_no_completion(*, packed: bool) -> None:
    def served(text: str) -> str:
        body, headers = completion(text), {"Content-Encoding": "gzip"}
        with serving(page(gzip.compress(body), headers) if packed else page(body)) as url:
            return model(url).complete(CHAT, CompletionLimits(64, 0.2)).text

    assert served("done") == "done"
    with pytest.raises(ModelError, match="no chat completion"):
        served("x" * MAX_BODY)
